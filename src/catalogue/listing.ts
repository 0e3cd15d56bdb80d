import type { PageQuery } from '../../schemas/page.js'
import { Cache } from '../cache.js'
import type { Audience } from './audience.js'
import { isOpen, nextChange } from './availability.js'
import { comparison, type Order, Orders } from './orders.js'
import { distinct, type RowFilter, type Selection, select } from './selection.js'
import type { Skeleton } from './skeleton.js'

/** A content passes if it has, for each field, one of the values. */
export interface ContentFilter {
  type?: string[] | undefined
  parent_id?: number[] | undefined
  terms?: number[] | undefined
  ids?: number[] | undefined
  /** The ids that a search found. */
  matches?: number[] | undefined
}

const nothing: Selection = { shown: [], total: 0 }

/** There is one list for each order and segment of the audience. */
const cacheBytes = 16 * 1024 * 1024
/** If a filter names at most this many contents, only these are sorted. More are picked from the sorted list of all. */
const few = 1000

/** Sorted lists of the open contents. They are cached until the catalogue or the clock changes them. */
export class Listing {
  private readonly orders: Orders
  private readonly cache = new Cache<string, Int32Array>(cacheBytes, ({ byteLength }) => byteLength)
  private version = -1
  private until = 0

  constructor(private readonly skeleton: Skeleton) {
    this.orders = new Orders(skeleton)
  }

  /** When the next content starts or ends. */
  validUntil(now: number) {
    this.dropOutdated(now)
    return this.until
  }

  open(order: Order, audience: Audience, now: number): Int32Array {
    this.dropOutdated(now)
    const key = `${order} ${this.skeleton.segment(audience)}`
    const known = this.cache.get(key)
    if (known) return known
    const rows = Int32Array.from(this.orders.rows(order).filter(row => isOpen(this.skeleton, row, now, audience)))
    this.cache.put(key, rows)
    return rows
  }

  page(filter: ContentFilter, order: Order, audience: Audience, now: number, page: PageQuery): Selection {
    const { skeleton } = this
    if (Object.values(filter).some(values => values?.length === 0)) return nothing
    const filters = this.filters(filter)
    const named = namedBy(filter)
    if (named === undefined) return select(this.open(order, audience, now), filters, page)
    if (named.length > few) return select(this.open(order, audience, now), [...filters, this.oneOf(named)], page)
    const rows = [...new Set(named)].flatMap(id => skeleton.row(id) ?? [])
    const open = rows.filter(row => isOpen(skeleton, row, now, audience))
    return select(open.sort(comparison(skeleton, order)), filters, page)
  }

  /** Makes equivalent filters equal, so that they share a cache key. */
  normalized({ type, parent_id, terms, ids }: ContentFilter): ContentFilter {
    const { skeleton } = this
    return {
      type: distinct(type, value => skeleton.type.has(value)),
      parent_id: distinct(parent_id, id => skeleton.parent.has(id)),
      terms: distinct(terms, id => skeleton.hasTerm(id)),
      ids: distinct(ids, id => skeleton.row(id) !== undefined)
    }
  }

  private dropOutdated(now: number) {
    if (this.version === this.skeleton.version && now < this.until) return
    this.cache.clear()
    this.version = this.skeleton.version
    this.until = nextChange(this.skeleton, now)
  }

  private filters({ type, parent_id, terms }: ContentFilter) {
    const { skeleton } = this
    const filters: RowFilter[] = []
    if (type) filters.push(skeleton.type.anyOf(type))
    if (parent_id) filters.push(skeleton.parent.anyOf(parent_id))
    if (terms) filters.push(skeleton.anyTerm(terms))
    return filters
  }

  private oneOf(ids: number[]): RowFilter {
    const marks = new Uint8Array(this.skeleton.size)
    for (const id of ids) {
      const row = this.skeleton.row(id)
      if (row !== undefined) marks[row] = 1
    }
    return { marks }
  }
}

/** The ids that pass both `ids` and `matches`, or undefined without either. */
const namedBy = ({ ids, matches }: ContentFilter) => {
  if (!ids || !matches) return ids ?? matches
  const found = new Set(matches)
  return ids.filter(id => found.has(id))
}
