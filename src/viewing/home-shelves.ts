import type { HomeKind, HomeQuery, HomeRow } from '../../schemas/home.js'
import { Cache } from '../cache.js'
import { type Audience, isAvailable } from '../catalogue/audience.js'
import { type JsonParts, jsonParts, ownBytes } from '../catalogue/bytes.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import type { Only } from '../catalogue/contents.js'
import { contentThen, type Fragment } from '../catalogue/fragments.js'
import type { Order } from '../catalogue/listing.js'
import { type RailDocument, toRail } from '../catalogue/rail-collections.js'
import { RailContents } from '../catalogue/rails.js'
import type { Data } from '../database/data.js'
import type { InterestSettings, Viewing } from '../recommendations/interest.js'
import { recentUntil } from '../recommendations/serving/answers.js'
import { type Recommendation, reasonFor } from '../recommendations/serving/reasons.js'
import { fadedLast, type Recommender } from '../recommendations/serving/recommender.js'
import { type CardWithHistory, cardParts, continueWatching } from './continue-watching.js'
import { latestOf } from './history-columns.js'
import { watchlistParts } from './viewer-bytes.js'

type ItemParts = JsonParts<HomeRow['items'][number]>

interface Item {
  content_id: number
  /** The title that is the reason for the item, if any. */
  because?: number | undefined
  parts: (content: Fragment, cause: Fragment | undefined) => ItemParts
}

/** What a shelf shows, before its contents are read. */
export interface PlannedShelf {
  kind: HomeKind
  /** The path of the whole list. */
  more: string | null
  items: Item[]
  name?: string
  /** The title that is the reason for the shelf, if any. */
  because?: number
  /** Called with the wire form of the shelf, unless the content of an item was missing. */
  keep?: (bytes: Buffer) => void
}

/** A shelf in its wire form. */
interface ReadyShelf {
  ready: JsonParts<HomeRow>
}

export type Shelf = PlannedShelf | ReadyShelf

/** An item with these fields after its content. */
const itemParts = (content: Fragment, more: object) => contentThen(content, more) as ItemParts

const plainParts = ({ bytes }: Fragment) => jsonParts<never>(['{"content":', bytes, '}}'])

const plainItem = (content_id: number): Item => ({ content_id, parts: plainParts })

const latestStart: Order = ['start_date', 'DESC']

export interface HomeSources {
  catalogue: Catalogue
  recommender: Recommender
  interest: InterestSettings
  recentDays: number
  basePath: string
}

export interface HomeRequest extends HomeQuery {
  audience: Audience
  /** A HEAD request: no title counts as shown. */
  isHead?: boolean
}

const titlesOf = function* ({ listing, tree }: Catalogue, audience: Audience) {
  for (const content of listing.open(latestStart, audience, Date.now())) if (tree.title(content) === content) yield content
}

/** The first titles that are not in `taken` and, if `unwatched` is given, not watched. Adds them to `taken`. */
const takeFirst = (titles: Iterable<number>, count: number, taken: Set<number>, unwatched?: Only) => {
  const first: number[] = []
  const marks = unwatched?.among().marks
  for (const title of titles) {
    if (taken.has(title) || marks?.[title] === 0) continue
    taken.add(title)
    if (first.push(title) === count) break
  }
  return first
}

const moreOf = (path: string, watched: HomeRequest['watched']) => (watched === undefined ? path : `${path}&watched=${watched}`)

/** Leaves out the titles in `taken`, and adds its own. */
export const popularAndNew = (
  { catalogue, recommender, basePath }: HomeSources,
  { items, audience, watched }: HomeRequest,
  taken: Set<number>,
  unwatched?: Only
): PlannedShelf[] => {
  const shown = (titles: Iterable<number>) =>
    takeFirst(titles, items, taken, unwatched).map(title => plainItem(catalogue.skeleton.idOf(title)))
  return [
    { kind: 'popular', more: null, items: shown(recommender.popular.titles(audience, Date.now())) },
    { kind: 'new', more: moreOf(`${basePath}/contents?order_by=start_date`, watched), items: shown(titlesOf(catalogue, audience)) }
  ]
}

/** In bytes. There is one shelf for each rail, segment of the audience and number of items. */
const readySize = 16 * 1024 * 1024

interface ReadyRail {
  ids: Float64Array
  bytes: Buffer
}

/** The rails as shelves, kept in wire form. */
export class RailShelves {
  readonly contents: RailContents
  private readonly ready = new Cache<string, ReadyRail>(readySize, ({ ids, bytes }) => ids.byteLength + bytes.length)

  constructor(private readonly sources: HomeSources) {
    this.contents = new RailContents(sources.catalogue)
  }

  async first({ items, rails, collection, audience, watched }: HomeRequest, unwatched?: Only): Promise<Shelf[]> {
    const filled = await this.contents.first(collection, rails, audience, unwatched)
    return filled.map(({ rail, ids, key }) => {
      // A list for a single viewer is not worth caching.
      if (watched !== undefined) return this.planned(rail, ids, items, watched)
      return this.shelf(rail, ids, `${key} ${items}`, items)
    })
  }

  /** Reuses the wire form only for the same list object. A new list, even if it is equal, means that contents may have changed. */
  private shelf(rail: RailDocument, ids: Float64Array, key: string, items: number): Shelf {
    const ready = this.ready.get(key)
    if (ready?.ids === ids) return { ready: jsonParts<HomeRow>([ready.bytes]) }
    return { ...this.planned(rail, ids, items), keep: bytes => this.ready.set(key, { ids, bytes: ownBytes(bytes) }) }
  }

  private planned(rail: RailDocument, ids: Float64Array, items: number, watched?: false): PlannedShelf {
    const { name, endpoint } = toRail(rail, `${this.sources.basePath}/contents`)
    return { kind: 'rail', name, more: moreOf(endpoint, watched), items: [...ids.slice(0, items)].map(plainItem) }
  }
}

/** The maximum number of `because` shelves, and how many of the most recently watched titles are tried for them. */
const maxBecauseShelves = 2
const maxTitlesTried = 5

export type Stored = Awaited<ReturnType<Data['history']['wholeAndLists']>>

export const cardsOf = ({ catalogue, interest }: HomeSources, stored: Stored, { items, audience }: HomeRequest) => {
  const { hidden, dismissed } = stored
  const { completedAt } = interest
  return continueWatching(catalogue, { history: latestOf(stored), hidden, dismissed, completedAt, audience }).slice(0, items)
}

export const cardsShelf = ({ basePath, interest }: HomeSources, cards: CardWithHistory[]): PlannedShelf => ({
  kind: 'continue_watching',
  more: `${basePath}/continue-watching`,
  items: cards.map(card => ({ content_id: card.content_id, parts: content => cardParts(card, content, interest.completedAt) }))
})

/** For a viewer with an age limit, more of the watchlist is read than shown, because elements above the limit are left out afterwards. */
const savedForLimited = 1000
export const savedFor = ({ items, audience }: HomeRequest) => (audience.maxAge === undefined ? items : savedForLimited)

export const watchlistShelf = ({ catalogue, basePath }: HomeSources, { saved }: Stored, { items, audience }: HomeRequest): PlannedShelf => {
  const isShown = catalogue.ageFilterFor(audience)
  const seen = new Set<number>()
  return {
    kind: 'watchlist',
    more: `${basePath}/watchlist`,
    items: saved
      .map(element => ({ ...element, content_id: catalogue.skeleton.currentId(element.content_id) }))
      .filter(({ content_id }) => (isShown?.(content_id) ?? true) && seen.size < seen.add(content_id).size)
      .slice(0, items)
      .map(element => ({ content_id: element.content_id, parts: content => watchlistParts(element, content) }))
  }
}

const isRecent = ({ catalogue, recentDays }: HomeSources, title: number) => Date.now() < recentUntil(catalogue.skeleton, title, recentDays)

export const recommendedShelf = (sources: HomeSources, recommendations: Recommendation[]): PlannedShelf => {
  const { skeleton } = sources.catalogue
  const items = recommendations.map(({ title, because }): Item => {
    const recent = isRecent(sources, title)
    const cause = because === undefined ? undefined : skeleton.idOf(because)
    return {
      content_id: skeleton.idOf(title),
      because: cause,
      parts: (content, named) => itemParts(content, { recent, reason: reasonFor(cause, named) })
    }
  })
  return { kind: 'recommended', more: `${sources.basePath}/recommendations`, items }
}

/** Titles like those most recently watched. Leaves out the titles in `taken`, and adds its own. */
export const becauseShelves = (sources: HomeSources, viewing: Viewing, { items, audience }: HomeRequest, taken: Set<number>) => {
  const { recommender, basePath } = sources
  const { skeleton } = sources.catalogue
  const shelves: PlannedShelf[] = []
  const excluded = new Set([...viewing.excluded, ...taken])
  for (const watched of [...viewing.titles.keys()].slice(0, maxTitlesTried)) {
    if (!isAvailable(skeleton, watched, Date.now(), audience)) continue
    const choose = (excluded: Set<number>) => recommender.similar(watched, audience, items, excluded)
    const similar = fadedLast({ excluded, faded: viewing.faded }, items, choose, title => title)
    if (similar.length === 0) continue
    const because = skeleton.idOf(watched)
    const shown = similar.map((title): Item => {
      taken.add(title)
      excluded.add(title)
      const recent = isRecent(sources, title)
      return { content_id: skeleton.idOf(title), parts: content => itemParts(content, { recent }) }
    })
    shelves.push({ kind: 'because', because, more: `${basePath}/contents/${because}/similar`, items: shown })
    if (shelves.length === maxBecauseShelves) break
  }
  return shelves
}
