import { type HomeAnswer, type HomeKind, type Home as HomeOnWire, type HomeRow, longestShelf } from '../../schemas/home.js'
import { everybody, segmentOf } from '../catalogue/audience.js'
import { type JsonParts, jsonParts, list, okBytes, UnjoinedJson } from '../catalogue/bytes.js'
import type { Only } from '../catalogue/contents.js'
import type { Fragment } from '../catalogue/fragments.js'
import type { Data } from '../database/data.js'
import { withDeadline } from '../overload/deadlines.js'
import type { Outage } from '../overload/outage.js'
import { Pacer } from '../overload/pacer.js'
import { viewingOf } from '../recommendations/interest.js'
import type { Uptake } from '../recommendations/serving/uptake.js'
import { cardsWithHistory } from './continue-watching.js'
import {
  becauseShelves,
  cardsOf,
  cardsShelf,
  type HomeRequest,
  type HomeSources,
  type PlannedShelf,
  popularAndNew,
  RailShelves,
  recommendedShelf,
  type Shelf,
  type Stored,
  savedFor,
  watchlistShelf
} from './home-shelves.js'
import type { Unwanted } from './unwanted.js'
import { onlyWatched } from './watched.js'

interface Options extends HomeSources {
  data: Data
  uptake: Uptake
  unwanted: Unwanted
  outage: Outage
  /** How long the database may take for a public response, in milliseconds. */
  patience: number
}

/** The shelves that need the database. */
const personalKinds: HomeKind[] = ['continue_watching', 'recommended', 'because', 'watchlist']

/** The start page. Its rows are called shelves here, because a row is an item in the skeleton. */
export class Home {
  private readonly rails: RailShelves
  private readonly pacer = new Pacer()

  constructor(private readonly options: Options) {
    this.rails = new RailShelves(options)
  }

  /** The same for everyone who sees the same content. */
  forAnyone(wanted: HomeRequest) {
    const { catalogue, recommender } = this.options
    const { items, rails, collection, audience } = wanted
    const collections = collection === undefined ? null : this.rails.contents.named(collection).map(({ _id }) => _id)
    const versions = [...recommender.version(audience.country), catalogue.search.version]
    const key = JSON.stringify(['home', items, rails, collections, segmentOf(catalogue.skeleton, audience), versions])
    return catalogue.answer<HomeAnswer>(key, async () => {
      const shelves = await this.publicShelves(wanted)
      const ids = contentIdsOf(shelves)
      const { contents, isWhole } = await this.publicContents(ids)
      const bytes = okBytes(homeParts(shelves, ids, contents, []))
      // Without some of the contents, it is outdated at once.
      return { bytes, isEmpty: false, ...(!isWhole && { until: 0 }) }
    })
  }

  /** Reads the contents that most callers will request. */
  async prepare() {
    const shelves = await this.publicShelves({ items: longestShelf, rails: longestShelf, audience: everybody })
    await this.options.catalogue.fragments.load(contentIdsOf(shelves))
  }

  /** `inTurn` queues database reads. */
  async forViewer(user: number, wanted: HomeRequest, inTurn: <T>(read: () => Promise<T>) => Promise<T>) {
    const { catalogue, outage, unwanted } = this.options
    if (!outage.isKnown) {
      try {
        return await inTurn(() => this.personal(user, wanted))
      } catch (error) {
        outage.noteOrThrow(error)
      }
    }
    const shelves = await this.publicShelves(wanted, catalogue.tree.titles(unwanted.of(user)))
    const ids = contentIdsOf(shelves)
    return okBytes(homeParts(shelves, ids, catalogue.fragments.known(ids), personalKinds))
  }

  private async personal(user: number, wanted: HomeRequest) {
    const { catalogue, data } = this.options
    const stored = await data.history.wholeAndLists(user, savedFor(wanted))
    const cards = cardsOf(this.options, stored, wanted)
    const watched = cards.flatMap(({ content_id }) => catalogue.skeleton.idsOf(content_id))
    const elements = watched.length > 0 ? await data.history.resumable(user, watched) : []
    const unwatched = wanted.watched === undefined ? undefined : onlyWatched(catalogue, stored, wanted.watched, wanted.audience)
    const rails = await this.rails.first(wanted, unwatched)
    const shelves = await this.pacer.run(() => [
      cardsShelf(this.options, cardsWithHistory(catalogue, cards, elements)),
      ...this.proposals(user, stored, wanted, unwatched),
      ...rails
    ])
    const contentIds = contentIdsOf(shelves)
    return okBytes(homeParts(shelves, contentIds, await catalogue.fragments.load(contentIds), []))
  }

  /** All shelves between the cards and the rails. No title is suggested twice. */
  private proposals(user: number, stored: Stored, wanted: HomeRequest, unwatched?: Only): Shelf[] {
    const { catalogue, recommender, uptake, unwanted, interest } = this.options
    const { items, audience, isHead } = wanted
    const viewing = viewingOf(catalogue, stored, interest, audience)
    unwanted.keep(
      user,
      Array.from(viewing.unwanted, title => catalogue.skeleton.idOf(title))
    )
    const make = () => recommender.recommendVaried(viewing, audience, items)
    const recommendations = recommender.remembered(`varied ${items} ${stored.digest}`, audience, make)
    if (!isHead) uptake.show(user, recommendations)
    const taken = new Set(recommendations.map(({ title }) => title))
    const because = becauseShelves(this.options, viewing, wanted, taken)
    for (const title of viewing.unwanted) taken.add(title)
    return [
      recommendedShelf(this.options, recommendations),
      ...because,
      watchlistShelf(this.options, stored, wanted),
      ...popularAndNew(this.options, wanted, taken, unwatched)
    ]
  }

  private async publicShelves(wanted: HomeRequest, unwanted = new Set<number>()): Promise<Shelf[]> {
    return [...popularAndNew(this.options, wanted, unwanted), ...(await this.rails.first(wanted))]
  }

  /** All of these contents, or the cached ones if the database does not respond. */
  private async publicContents(ids: number[]) {
    const { catalogue, outage, patience } = this.options
    const { fragments } = catalogue
    if (!outage.isKnown) {
      try {
        return { contents: await withDeadline(fragments.anyForPublic(ids), patience), isWhole: true }
      } catch (error) {
        outage.noteOrThrow(error)
      }
    }
    const contents = fragments.known(ids)
    return { contents, isWhole: !contents.includes(undefined) }
  }
}

/** The ids of all contents that the shelves show or name. */
const contentIdsOf = (shelves: Shelf[]) => {
  const ids = new Set<number>()
  const add = ({ because }: { because?: number | undefined }) => because !== undefined && ids.add(because)
  for (const shelf of shelves) {
    if ('ready' in shelf) continue
    add(shelf)
    for (const item of shelf.items) {
      add(item)
      ids.add(item.content_id)
    }
  }
  return [...ids]
}

type Contents = Map<number, Fragment | undefined>

const partsOf = ({ kind, name, because, more, items, keep }: PlannedShelf, contents: Contents) => {
  const causeOf = (id: number | undefined) => (id === undefined ? undefined : contents.get(id))
  const cause = causeOf(because)
  const shown: ReturnType<PlannedShelf['items'][number]['parts']>[] = []
  for (const { content_id, because, parts } of items) {
    const content = contents.get(content_id)
    if (content) shown.push(parts(content, causeOf(because)))
  }
  if (shown.length === 0 || (because !== undefined && !cause)) return undefined
  const head = { kind, name: name ?? null, because: cause ? { content_id: because, name: cause.name } : null, more }
  const shelf = jsonParts<HomeRow>([`${JSON.stringify(head).slice(0, -1)},"items":`, ...list(shown), '}'])
  if (keep && shown.length === items.length) keep(new UnjoinedJson(shelf).joined())
  return shelf
}

/** `ids` come from `contentIdsOf`, and `found` are their contents. Leaves out items without a content, and shelves without items. */
const homeParts = (shelves: Shelf[], ids: number[], found: (Fragment | undefined)[], missing: HomeKind[]) => {
  const contents: Contents = new Map()
  for (const [i, id] of ids.entries()) contents.set(id, found[i])
  const shown: JsonParts<HomeRow>[] = []
  for (const shelf of shelves) {
    const parts = 'ready' in shelf ? shelf.ready : partsOf(shelf, contents)
    if (parts) shown.push(parts)
  }
  return jsonParts<HomeOnWire>(['{"rows":', ...list(shown), `,"missing":${JSON.stringify(missing)}}`])
}
