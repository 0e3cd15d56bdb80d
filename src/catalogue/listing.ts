import type { ContentsQuery, orderFields } from '../../schemas/contents-query.js'
import type { PageQuery } from '../../schemas/page.js'
import { Cache } from '../cache.js'
import { type Audience, isOpen, nextChange, segmentOf } from './audience.js'
import { distinct, type RowFilter, type Selection, select } from './columns.js'
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
    const key = `${order} ${segmentOf(this.skeleton, audience)}`
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

type OrderField = (typeof orderFields)[number]
export type Order = readonly [OrderField, ContentsQuery['order_direction']]

export const defaultOrder: Order = ['weight', 'DESC']

export const orderOf = ({ order_by = defaultOrder[0], order_direction }: ContentsQuery): Order => [order_by, order_direction]

type Compare = (a: number, b: number) => number

/** Breaks ties by id, so that no content appears on two pages or on none. */
export const comparison = (skeleton: Skeleton, [field, direction]: Order): Compare => {
  const { id, starts, created, weight, name } = skeleton
  const sign = direction === 'DESC' ? -1 : 1
  const byId: Compare = (a, b) => sign * (id.raw(a) - id.raw(b))

  const fields: Record<OrderField, Compare> = {
    start_date: (a, b) => sign * (starts.raw(a) - starts.raw(b)) || byId(a, b),
    created_at: (a, b) => sign * (created.raw(a) - created.raw(b)) || byId(a, b),
    name: (a, b) => {
      const [one = '', other = ''] = [name[a], name[b]]
      return one === other ? byId(a, b) : one < other ? -sign : sign
    },
    // Contents without a weight come last in both directions. Of equal weights, the newest comes first in both.
    weight: (a, b) => {
      const [one, other] = [weight.get(a), weight.get(b)]
      if (one !== other) return one === null ? 1 : other === null ? -1 : sign * (one - other)
      return starts.raw(b) - starts.raw(a) || byId(a, b)
    }
  }
  return fields[field]
}

/** All rows in each requested order. Sorted again when the skeleton has changed. */
export class Orders {
  private readonly sorted = new Map<string, { rows: number[]; version: number }>()

  constructor(private readonly skeleton: Skeleton) {}

  rows(order: Order): readonly number[] {
    const cached = this.sorted.get(order.join())
    if (cached?.version === this.skeleton.version) return cached.rows
    const rows = cached?.rows ?? []
    for (let row = rows.length; row < this.skeleton.size; row++) rows.push(row)
    // The rows are almost sorted after a small change, which makes the engine's sort little more than one pass.
    rows.sort(comparison(this.skeleton, order))
    this.sorted.set(order.join(), { rows, version: this.skeleton.version })
    return rows
  }
}
