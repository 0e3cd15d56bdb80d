import type { ContentsQuery, orderFields } from '../../schemas/contents-query.js'
import type { PageQuery } from '../../schemas/page.js'
import { Cache } from '../cache.js'
import { type Audience, isAvailable, nextChange, segmentOf } from './audience.js'
import { distinct, type RowFilter, ranked, type Selection, select } from './columns.js'
import type { Ranks } from './search/index.js'
import type { Skeleton } from './skeleton.js'
import { treeOf } from './tree.js'

/** A content passes if it has, for each field, one of the values. */
export interface ContentFilter {
  type?: string[] | undefined
  parent_id?: number[] | undefined
  terms?: number[] | undefined
  people?: number[] | undefined
  ids?: number[] | undefined
  year?: number[] | undefined
  /** A content that stands for its title. */
  title?: number | undefined
}

const noRows: Selection = { shown: [], total: 0 }

/** There is one list for each order and segment of the audience. */
const cacheBytes = 16 * 1024 * 1024

/** Sorted lists of the open contents. They are cached until the catalogue or the clock changes them. */
export class Listing {
  private readonly sorted = new Map<string, { rows: number[]; version: number }>()
  private readonly cache = new Cache<string, Int32Array>(cacheBytes, ({ byteLength }) => byteLength)
  private version = -1
  private until = 0

  constructor(private readonly skeleton: Skeleton) {}

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
    const rows = Int32Array.from(this.rows(order).filter(row => isAvailable(this.skeleton, row, now, audience)))
    this.cache.set(key, rows)
    return rows
  }

  /** All rows. Sorted again when the skeleton has changed. */
  rows(order: Order): readonly number[] {
    const { skeleton } = this
    const cached = this.sorted.get(order.join())
    if (cached?.version === skeleton.version) return cached.rows
    const rows = cached?.rows ?? []
    for (let row = rows.length; row < skeleton.size; row++) rows.push(row)
    // The rows are almost sorted after a small change, which makes the engine's sort little more than one pass.
    rows.sort(comparison(skeleton, order))
    this.sorted.set(order.join(), { rows, version: skeleton.version })
    return rows
  }

  /** Of equal ranks, contents come in the given order. */
  page(filter: ContentFilter, order: Order, audience: Audience, now: number, page: PageQuery, ranks?: Ranks): Selection {
    const { type, parent_id, terms, people, ids, year, title } = filter
    if ([type, parent_id, terms, people, ids, year].some(values => values?.length === 0)) return noRows
    const isNarrow = ids !== undefined || title !== undefined
    const rows = isNarrow ? this.named({ ids, title }, order, audience, now) : this.open(order, audience, now)
    return select(ranks ? ranked(rows, ranks) : rows, this.filters(filter), page)
  }

  /** Makes equivalent filters equal, so that they share a cache key. */
  normalized({ type, parent_id, terms, people, ids, year, title }: ContentFilter): Required<ContentFilter> {
    const { skeleton } = this
    return {
      type: distinct(type, value => skeleton.type.has(value)),
      parent_id: distinct(parent_id, id => skeleton.parent.has(id)),
      terms: distinct(terms, id => skeleton.hasTerm(id)),
      people: distinct(people, id => skeleton.people.has(id)),
      ids: distinct(ids, id => skeleton.row(id) !== undefined),
      year: distinct(year, value => skeleton.year.has(value)),
      title: title === undefined ? undefined : this.titleIn(title)
    }
  }

  private dropOutdated(now: number) {
    if (this.version === this.skeleton.version && now < this.until) return
    this.cache.clear()
    this.version = this.skeleton.version
    this.until = nextChange(this.skeleton, now)
  }

  private filters({ type, parent_id, terms, people, year }: ContentFilter) {
    const { skeleton } = this
    // The type demands every field.
    const filters: Record<keyof ContentFilter, RowFilter | undefined> = {
      type: type && skeleton.type.anyOf(type),
      parent_id: parent_id && skeleton.parent.anyOf(parent_id),
      terms: terms && skeleton.anyTerm(terms),
      people: people && skeleton.people.anyOf(people, skeleton.size),
      year: year && skeleton.year.anyOf(year),
      // `page` looks only at these.
      ids: undefined,
      title: undefined
    }
    return Object.values(filters).filter(filter => filter !== undefined)
  }

  /** Those of the contents that are open. */
  private named({ ids, title }: Pick<ContentFilter, 'ids' | 'title'>, order: Order, audience: Audience, now: number) {
    const { skeleton } = this
    const named = new Set(ids?.flatMap(id => skeleton.row(id) ?? []))
    const rows = title === undefined ? [...named] : this.rowsOfTitle(title).filter(row => !ids || named.has(row))
    const open = rows.filter(row => isAvailable(skeleton, row, now, audience))
    const [field, direction] = order
    // The rows of a title are in the order of the show already.
    if (title === undefined || field !== 'position') return open.sort(comparison(skeleton, order))
    return direction === 'ASC' ? open : open.reverse()
  }

  /** The id of the title of a content, or 0, which no title has. */
  private titleIn(id: number) {
    const title = treeOf(this.skeleton).titleOf(id)
    return title === undefined ? 0 : this.skeleton.idOf(title)
  }

  private rowsOfTitle(id: number) {
    const row = this.skeleton.row(id)
    return row === undefined ? [] : [...treeOf(this.skeleton).contents(row)]
  }
}

type OrderField = (typeof orderFields)[number]
export type Order = readonly [OrderField, 'ASC' | 'DESC']

export const defaultOrder: Order = ['weight', 'DESC']

/** A search by relevance has the default order among equal matches, in whatever direction. */
export const orderOf = ({ search, order_by, order_direction }: ContentsQuery): Order => {
  if (order_by === undefined && search !== undefined) return defaultOrder
  return [order_by ?? defaultOrder[0], order_direction ?? (order_by === 'position' ? 'ASC' : 'DESC')]
}

type Compare = (a: number, b: number) => number

/** Breaks ties by id, so that no content appears on two pages or on none. */
export const comparison = (skeleton: Skeleton, [field, direction]: Order): Compare => {
  const { id, starts, created, weight, name, position, year } = skeleton
  const sign = direction === 'DESC' ? -1 : 1
  const byId: Compare = (a, b) => sign * (id.raw(a) - id.raw(b))
  /** Contents without a value come last in both directions. */
  const ofNumbers = (one: number | null, other: number | null) => {
    if (one === other) return 0
    return one === null ? 1 : other === null ? -1 : sign * (one - other)
  }

  const fields: Record<OrderField, Compare> = {
    start_date: (a, b) => sign * (starts.raw(a) - starts.raw(b)) || byId(a, b),
    created_at: (a, b) => sign * (created.raw(a) - created.raw(b)) || byId(a, b),
    name: (a, b) => {
      const [one = '', other = ''] = [name[a], name[b]]
      return one === other ? byId(a, b) : one < other ? -sign : sign
    },
    // Of equal weights, the newest comes first in both directions.
    weight: (a, b) => ofNumbers(weight.get(a), weight.get(b)) || starts.raw(b) - starts.raw(a) || byId(a, b),
    position: (a, b) => ofNumbers(position.get(a), position.get(b)) || sign * (starts.raw(a) - starts.raw(b)) || byId(a, b),
    year: (a, b) => ofNumbers(year.get(a) ?? null, year.get(b) ?? null) || sign * (starts.raw(a) - starts.raw(b)) || byId(a, b)
  }
  return fields[field]
}
