import type { HomeAnswer, HomeKind } from '../../../schemas/home.js'
import { everybody, segmentOf } from '../../catalogue/audience.js'
import { okBytes } from '../../catalogue/bytes.js'
import type { Catalogue } from '../../catalogue/catalogue.js'
import { longestRow, RailContents } from '../../catalogue/rails.js'
import type { Data } from '../../data/index.js'
import { withDeadline } from '../../overload/deadline.js'
import type { Outage } from '../../overload/outage.js'
import { Pacer } from '../../overload/pacer.js'
import { type InterestSettings, viewingOf } from '../../recommendations/interest.js'
import type { Recommender } from '../../recommendations/serving/recommender.js'
import type { Uptake } from '../../recommendations/serving/uptake.js'
import { cardsWithHistory } from '../viewer-bytes.js'
import { becauseRowsOf, cardsOf, cardsRow, recommendedRow, type Stored, savedFor, watchlistRow } from './personal-rows.js'
import { type HomeRequest, popularAndNew, railRows } from './public-rows.js'
import { ReadyRows } from './ready-rows.js'
import { contentIdsOf, homeParts, type Row } from './row.js'

interface Options {
  catalogue: Catalogue
  data: Data
  recommender: Recommender
  uptake: Uptake
  outage: Outage
  interest: InterestSettings
  recentDays: number
  basePath: string
  /** How long the database may take for a public answer, in milliseconds. */
  patience: number
}

/** The rows that need the database. */
const personalKinds: HomeKind[] = ['continue_watching', 'recommended', 'because', 'watchlist']

/** The start page. While the database does not answer, it has what is in memory. */
export class Home {
  private readonly rails: RailContents
  private readonly readyRows = new ReadyRows()
  private readonly pacer = new Pacer()

  constructor(private readonly options: Options) {
    this.rails = new RailContents(options.catalogue)
  }

  /** The same for everybody who sees the same contents. */
  forAnyone(wanted: HomeRequest) {
    const { catalogue, recommender } = this.options
    const { items, rails, collection, audience } = wanted
    const collections = collection === undefined ? null : this.rails.named(collection).map(({ _id }) => _id)
    const versions = [...recommender.version(audience.country), catalogue.search.version]
    const key = JSON.stringify(['home', items, rails, collections, segmentOf(catalogue.skeleton, audience), versions])
    return catalogue.answer<HomeAnswer>(key, async () => {
      const rows = await this.publicRows(wanted)
      const ids = contentIdsOf(rows)
      const { contents, isWhole } = await this.publicContents(ids)
      const bytes = okBytes(homeParts(rows, ids, contents, []))
      return { bytes, isEmpty: false, ...(!isWhole && { until: 0 }) }
    })
  }

  /** Reads the contents that most callers will ask for. */
  async prepare() {
    const rows = await this.publicRows({ items: longestRow, rails: longestRow, audience: everybody })
    await this.options.catalogue.fragments.of(contentIdsOf(rows))
  }

  /** `inTurn` runs database reads when it is their turn. */
  async forViewer(user: number, wanted: HomeRequest, inTurn: <T>(read: () => Promise<T>) => Promise<T>) {
    const { catalogue, outage } = this.options
    if (!outage.isKnown) {
      try {
        return await inTurn(() => this.personal(user, wanted))
      } catch (error) {
        outage.noteOrThrow(error)
      }
    }
    const rows = await this.publicRows(wanted)
    const ids = contentIdsOf(rows)
    return okBytes(homeParts(rows, ids, catalogue.fragments.known(ids), personalKinds))
  }

  private async personal(user: number, wanted: HomeRequest) {
    const { catalogue, data, interest } = this.options
    const stored = await data.history.wholeAndLists(user, savedFor(wanted))
    const cards = cardsOf(catalogue, stored, wanted, interest)
    const watched = cards.map(({ content_id }) => content_id)
    const elements = watched.length > 0 ? await data.history.started(user, watched) : []
    const rails = await railRows(this.rails, this.readyRows, wanted, this.options.basePath)
    const rows = await this.pacer.run(() => [
      cardsRow(cardsWithHistory(catalogue, cards, elements), this.options.basePath),
      ...this.proposals(user, stored, wanted),
      ...rails
    ])
    const contentIds = contentIdsOf(rows)
    return okBytes(homeParts(rows, contentIds, await catalogue.fragments.of(contentIds), []))
  }

  /** All rows between the cards and the rails. No title is proposed twice. */
  private proposals(user: number, stored: Stored, wanted: HomeRequest): Row[] {
    const { catalogue, recommender, uptake, interest, recentDays, basePath } = this.options
    const { items, audience, isHead } = wanted
    const viewing = viewingOf(catalogue, stored, interest, audience)
    const recommendations = recommender.recommendVaried(viewing, audience, items)
    if (!isHead) uptake.show(user, recommendations)
    const taken = new Set(recommendations.map(({ title }) => title))
    const because = becauseRowsOf(catalogue, recommender, viewing, { audience, count: items, recentDays, basePath, taken })
    for (const title of catalogue.tree.titles(stored.hidden)) taken.add(title)
    return [
      recommendedRow(catalogue, recommendations, recentDays, basePath),
      ...because,
      watchlistRow(catalogue, stored, wanted, basePath),
      ...popularAndNew(catalogue, recommender.popular, wanted, basePath, taken)
    ]
  }

  private async publicRows(wanted: HomeRequest): Promise<Row[]> {
    const { catalogue, recommender, basePath } = this.options
    return [
      ...popularAndNew(catalogue, recommender.popular, wanted, basePath, new Set()),
      ...(await railRows(this.rails, this.readyRows, wanted, basePath))
    ]
  }

  /** All of these contents, or the cached ones if the database does not answer. */
  private async publicContents(ids: number[]) {
    const { catalogue, outage, patience } = this.options
    const { fragments } = catalogue
    if (!outage.isKnown) {
      try {
        return { contents: await withDeadline(fragments.anyForPublicList(ids), patience), isWhole: true }
      } catch (error) {
        outage.noteOrThrow(error)
      }
    }
    const contents = fragments.known(ids)
    return { contents, isWhole: !contents.includes(undefined) }
  }
}
