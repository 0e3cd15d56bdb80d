import type { orderFields, RailQuery } from '../../schemas/contents-query.js'
import type { PageQuery } from '../../schemas/page.js'
import { Cache } from '../cache.js'
import { type Audience, type Country, isAvailable, nextChange, segmentOf } from './audience.js'
import { distinct, type RowFilter, ranked, type Selection, select } from './columns.js'
import type { Ranks } from './search/index.js'
import type { Skeleton } from './skeleton.js'
import { treeOf } from './tree.js'

/** What GET /contents filters by without a search. `Listing` does not compile if it ignores one of these parameters. */
type Filters = Omit<RailQuery, 'search' | 'order_by' | 'order_direction' | keyof PageQuery>

/** The part of a filter that can be part of a cache key. An item passes if it has one of the values in each field. */
type NamedFilter = { [Name in keyof Filters]-?: Filters[Name] | undefined }

export type ContentFilter = Partial<NamedFilter> & { among?: RowFilter | undefined }

/** Recently viewed titles. */
export interface Views {
  /** Incremented with new counts. */
  readonly version: number
  /** Countries with equal results have the same views. */
  countedIn(country: Country | undefined): string
  /** Rows of the titles with views, the most viewed first. */
  mostViewed(country: Country | undefined): Int32Array
}

export const noViews: Views = { version: 0, countedIn: () => '', mostViewed: () => new Int32Array(0) }

const noRows: Selection = { shown: [], total: 0 }

/** There is one list for each order and segment of the audience. */
const cacheBytes = 16 * 1024 * 1024

/** Sorted lists of the available contents, cached until the catalogue or the clock changes them. */
export class Listing {
  private readonly sorted = new Map<string, { rows: number[]; version: number }>()
  private readonly cache = new Cache<string, Int32Array>(cacheBytes, ({ byteLength }) => byteLength)
  private version = -1
  private until = 0

  constructor(
    private readonly skeleton: Skeleton,
    private readonly views: () => Views = () => noViews
  ) {}

  /** When the next item starts or ends. */
  validUntil(now: number) {
    this.dropOutdated(now)
    return this.until
  }

  open(order: Order, audience: Audience, now: number): Int32Array {
    this.dropOutdated(now)
    const key = this.keyOf(order, audience)
    const known = this.cache.get(key)
    if (known) return known
    const [field, direction] = order
    const isOpen = (row: number) => isAvailable(this.skeleton, row, now, audience)
    const rows =
      field === 'popularity'
        ? this.byViews(direction, audience, now, isOpen)
        : Int32Array.from(this.rows([field, direction]).filter(isOpen))
    this.cache.set(key, rows)
    return rows
  }

  /** With the same catalogue, an equal key means the same list. */
  keyOf(order: Order, audience: Audience) {
    const views = this.views()
    const counts = order[0] === 'popularity' ? `${views.version} ${views.countedIn(audience.country)}` : ''
    return `${order} ${segmentOf(this.skeleton, audience)} ${counts}`
  }

  /** The titles with views, then all others in the default order. */
  private byViews(direction: Direction, audience: Audience, now: number, isOpen: (row: number) => boolean) {
    const viewed = this.views().mostViewed(audience.country).filter(isOpen)
    const seen = new Set(viewed)
    const others = this.open(defaultOrder, audience, now).filter(row => !seen.has(row))
    const rows = new Int32Array(viewed.length + others.length)
    rows.set(viewed)
    rows.set(others, viewed.length)
    return direction === 'DESC' ? rows : rows.reverse()
  }

  /** All rows. Sorted again when the skeleton has changed. */
  rows(order: SkeletonOrder): readonly number[] {
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

  /** Contents of equal rank are in the given order. */
  page(filter: ContentFilter, order: Order, audience: Audience, now: number, page: PageQuery, ranks?: Ranks): Selection {
    const { ids, title } = filter
    if (Object.values(filter).some(values => Array.isArray(values) && values.length === 0)) return noRows
    const isNarrow = ids !== undefined || title !== undefined
    const rows = isNarrow ? this.named({ ids, title }, order, audience, now) : this.open(order, audience, now)
    return select(ranks ? ranked(rows, ranks) : rows, this.filters(filter), page)
  }

  /** Makes equivalent filters equal, so that they share a cache key. */
  normalized({ type, parent_id, terms, people, ids, year, title }: Partial<NamedFilter>): NamedFilter {
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

  private filters({ type, parent_id, terms, people, year, among }: ContentFilter) {
    const { skeleton } = this
    // The type requires every field.
    const filters: Record<keyof ContentFilter, RowFilter | undefined> = {
      type: type && skeleton.type.anyOf(type),
      parent_id: parent_id && skeleton.parent.anyOf(parent_id),
      terms: terms && skeleton.anyTerm(terms),
      people: people && skeleton.people.anyOf(people, skeleton.size),
      year: year && skeleton.year.anyOf(year),
      among,
      // `page` starts from these.
      ids: undefined,
      title: undefined
    }
    return Object.values(filters).filter(filter => filter !== undefined)
  }

  /** Those of the contents that are available. */
  private named({ ids, title }: Pick<ContentFilter, 'ids' | 'title'>, order: Order, audience: Audience, now: number) {
    const { skeleton } = this
    const named = new Set(ids?.flatMap(id => skeleton.row(id) ?? []))
    const rows = title === undefined ? [...named] : this.rowsOfTitle(title).filter(row => !ids || named.has(row))
    const [field, direction] = order
    if (field === 'popularity') {
      const wanted = new Set(rows)
      return this.open(order, audience, now).filter(row => wanted.has(row))
    }
    const open = rows.filter(row => isAvailable(skeleton, row, now, audience))
    // The rows of a title are in the order of the show already.
    if (title === undefined || field !== 'position') return open.sort(comparison(skeleton, [field, direction]))
    return direction === 'ASC' ? open : open.reverse()
  }

  /** The id of an item's title, or 0, which no title has. */
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
type Direction = 'ASC' | 'DESC'
export type Order = readonly [OrderField, Direction]
/** An order by fields of the catalogue itself. */
export type SkeletonOrder = readonly [Exclude<OrderField, 'popularity'>, Direction]

export const defaultOrder: SkeletonOrder = ['weight', 'DESC']

/** A search by relevance sorts equal matches in the default order, whatever the direction. */
export const orderOf = ({ search, order_by, order_direction }: RailQuery): Order => {
  if (order_by === undefined && search !== undefined) return defaultOrder
  return [order_by ?? defaultOrder[0], order_direction ?? (order_by === 'position' ? 'ASC' : 'DESC')]
}

type Compare = (a: number, b: number) => number

/** Breaks ties by id, so that no item appears on two pages or on none. */
export const comparison = (skeleton: Skeleton, [field, direction]: SkeletonOrder): Compare => {
  const { id, starts, created, weight, name, position, year } = skeleton
  const sign = direction === 'DESC' ? -1 : 1
  const byId: Compare = (a, b) => sign * (id.raw(a) - id.raw(b))
  /** Contents without a value come last in both directions. */
  const ofNumbers = (one: number | null, other: number | null) => {
    if (one === other) return 0
    return one === null ? 1 : other === null ? -1 : sign * (one - other)
  }

  const fields: Record<SkeletonOrder[0], Compare> = {
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
