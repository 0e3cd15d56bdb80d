import type { PageQuery } from '../../schemas/page.js'
import { Kept } from '../kept.js'
import { isOpen, nextChange } from './availability.js'
import type { Country } from './country.js'
import { comparison, type Order, Orders } from './orders.js'
import { distinct, type Selection, select, type Test } from './selection.js'
import type { Skeleton } from './skeleton.js'

/** What a list of contents is asked for: any of the values of one filter, all of the filters. */
export interface ContentFilter {
  type?: string[] | undefined
  parent_id?: number[] | undefined
  terms?: number[] | undefined
  ids?: number[] | undefined
  /** The contents that a search found. */
  matches?: number[] | undefined
}

const nothing: Selection = { shown: [], total: 0 }

/** In bytes. There is one list for each order and region. */
const listsKept = 16 * 1024 * 1024
/** Up to so many contents are put in order by themselves, more are looked for in the order of all. */
const few = 1000

/** The open contents in their orders, worked out once and kept until the catalogue or the clock changes them, and pages of them. */
export class Listing {
  private readonly orders: Orders
  private readonly kept = new Kept<string, Int32Array>(listsKept, ({ byteLength }) => byteLength)
  private version = -1
  private until = 0

  constructor(private readonly skeleton: Skeleton) {
    this.orders = new Orders(skeleton)
  }

  /** Until when the lists hold if nothing is written. */
  validUntil(now: number) {
    if (this.version !== this.skeleton.version || now >= this.until) {
      this.kept.clear()
      this.version = this.skeleton.version
      this.until = nextChange(this.skeleton, now)
    }
    return this.until
  }

  /** All open contents. */
  open(order: Order, country: Country, now: number): Int32Array {
    this.validUntil(now)
    const key = `${order} ${this.skeleton.region(country)}`
    const known = this.kept.get(key)
    if (known) return known
    const rows = Int32Array.from(this.orders.rows(order).filter(row => isOpen(this.skeleton, row, now, country)))
    this.kept.put(key, rows)
    return rows
  }

  /** One page of the open contents that pass a filter. */
  page(filter: ContentFilter, order: Order, country: Country, now: number, page: PageQuery): Selection {
    const { skeleton } = this
    if (Object.values(filter).some(values => values?.length === 0)) return nothing
    const tests = this.tests(filter)
    const named = namedBy(filter)
    if (named === undefined) return select(this.open(order, country, now), tests, page)
    if (named.length > few) return select(this.open(order, country, now), [...tests, this.oneOf(named)], page)
    const rows = [...new Set(named)].flatMap(id => skeleton.row(id) ?? [])
    const open = rows.filter(row => isOpen(skeleton, row, now, country))
    return select(open.sort(comparison(skeleton, order)), tests, page)
  }

  /** The filter without what makes no difference. */
  normal({ type, parent_id, terms, ids }: ContentFilter): ContentFilter {
    const { skeleton } = this
    return {
      type: distinct(type, value => skeleton.type.has(value)),
      parent_id: distinct(parent_id, id => skeleton.parent.has(id)),
      terms: distinct(terms, id => skeleton.hasTerm(id)),
      ids: distinct(ids, id => skeleton.row(id) !== undefined)
    }
  }

  private tests({ type, parent_id, terms }: ContentFilter) {
    const { skeleton } = this
    const tests: Test[] = []
    if (type) tests.push(skeleton.type.anyOf(type))
    if (parent_id) tests.push(skeleton.parent.anyOf(parent_id))
    if (terms) tests.push(skeleton.anyTerm(terms))
    return tests
  }

  private oneOf(ids: number[]): Test {
    const marks = new Uint8Array(this.skeleton.size)
    for (const id of ids) {
      const row = this.skeleton.row(id)
      if (row !== undefined) marks[row] = 1
    }
    return { marks }
  }
}

/** The contents that a filter names one by one. */
const namedBy = ({ ids, matches }: ContentFilter) => {
  if (!ids || !matches) return ids ?? matches
  const found = new Set(matches)
  return ids.filter(id => found.has(id))
}
