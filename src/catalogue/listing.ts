import { Kept } from '../kept.js'
import { type Country, isOpen, nextChange } from './availability.js'
import { comparison, type Order, Orders } from './orders.js'
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

/** Rows kept of lists that were asked for before, some 16 MB. */
const rowsKept = 4_000_000

/** The open contents of a filter in their order, worked out once and kept until the catalogue or the clock changes it. */
export class Listing {
  private readonly orders: Orders
  private readonly kept = new Kept<string, Int32Array>(rowsKept, ({ length }) => length)
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

  rows(filter: ContentFilter, order: Order, country: Country, now: number): Int32Array {
    this.validUntil(now)
    const few = filter.ids ?? filter.matches
    if (few) return this.select(this.rowsOf(few).sort(comparison(this.skeleton, order)), filter, country, now)

    const key = JSON.stringify([filter, order, country])
    const known = this.kept.get(key)
    if (known) return known
    const rows = this.select(this.orders.rows(order), filter, country, now)
    this.kept.put(key, rows)
    return rows
  }

  private rowsOf(ids: number[]) {
    return [...new Set(ids)].flatMap(id => this.skeleton.row(id) ?? [])
  }

  private select(candidates: readonly number[], filter: ContentFilter, country: Country, now: number) {
    const { skeleton } = this
    const tests: ((row: number) => boolean)[] = []
    const { type, parent_id, terms, ids, matches } = filter
    if (type) tests.push(row => type.includes(skeleton.type[row] as string))
    if (parent_id) tests.push(oneOf(parent_id, row => skeleton.parent.raw(row)))
    if (ids && matches) tests.push(oneOf(matches, row => skeleton.id.raw(row)))
    if (terms) {
      const wanted = new Set(terms)
      tests.push(row => skeleton.terms[row]?.some(term => wanted.has(term)) ?? false)
    }
    return Int32Array.from(candidates.filter(row => isOpen(skeleton, row, now, country) && tests.every(test => test(row))))
  }
}

const oneOf = (values: number[], of: (row: number) => number) => {
  const wanted = new Set(values)
  return (row: number) => wanted.has(of(row))
}
