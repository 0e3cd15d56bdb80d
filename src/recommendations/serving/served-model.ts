import { Cache } from '../../cache.js'
import { isAvailable } from '../../catalogue/audience.js'
import type { Catalogue } from '../../catalogue/catalogue.js'
import type { Viewing } from '../interest.js'
import { type Past, poolSize, Ranker, reach, type Scored } from '../model/index.js'
import type { StoredModel } from '../stored-model.js'
import type { TitleRequest } from './popular.js'
import type { Recommendation } from './reasons.js'

/** How far back the model looks in a history. */
export const newestTitles = reach

/** The mapping between the items of a model and the titles of a catalogue. */
interface ItemMapping {
  tree: Catalogue['tree']
  /** The row of each item, or -1 if it is not a title of the catalogue. */
  rows: Int32Array
  /** The item of each row, or -1 if the model does not know it. */
  items: Int32Array
}

/** Enough for some thousand titles. */
const keptBytes = 4 * 1024 * 1024

/** A model whose items are titles of the catalogue, as rows of the skeleton. */
export class ServedModel {
  private readonly ranker: Ranker
  /** The items that follow a single item, best first. Every start page needs those of a few titles. */
  private readonly followers = new Cache<number, Int32Array>(keptBytes, ({ byteLength }) => byteLength)
  private cachedMapping: ItemMapping | undefined

  constructor(
    private readonly catalogue: Catalogue,
    private readonly model: StoredModel
  ) {
    if (new Set(model.ids).size < model.ids.length) throw new Error('The model contains a title twice')
    this.ranker = new Ranker(model)
  }

  /** The available titles that fit the watched ones, best first, each with the watched title that contributes most. */
  recommend(watched: Viewing['titles'], request: TitleRequest): Recommendation[] {
    const { rows: titles } = this.mapping
    const { rows, items, interests } = this.known(watched)
    if (rows.length === 0) return []
    const past = { items, interests }
    const best = this.best(past, request.count, this.wanted(request))
    const reasons = this.ranker.reasons(past, best)
    // `reasons` returns -1 for none, for which `rows` has no value.
    return best.map((item, at) => ({ title: titles[item] as number, because: rows[reasons[at] as number] }))
  }

  /** The available titles that fit this one, best first. */
  similar(title: number, request: TitleRequest): number[] {
    const { rows, items } = this.mapping
    const item = items[title] as number
    if (item < 0) return []
    const isWanted = this.wanted(request)
    const followers = this.followersOf(item)
    const similar = [...followers.filter(isWanted).subarray(0, request.count)]
    const isCut = followers.length === poolSize && similar.length < request.count
    return (isCut ? this.best({ items: [item] }, request.count, isWanted) : similar).map(item => rows[item] as number)
  }

  /** Includes items whose titles are no longer in the catalogue, so that the result stays valid as long as the model. */
  private followersOf(item: number) {
    const known = this.followers.get(item)
    if (known) return known
    const found = Int32Array.from(this.best({ items: [item] }, poolSize, () => true))
    this.followers.set(item, found)
    return found
  }

  /** The newest titles that the model knows, oldest first. */
  private known(titles: Viewing['titles']) {
    const itemOf = this.mapping.items
    const rows: number[] = []
    const items: number[] = []
    const interests: number[] = []
    for (const [row, interest] of titles) {
      const item = itemOf[row] as number
      if (item < 0) continue
      rows.push(row)
      items.push(item)
      interests.push(interest)
      if (rows.length === newestTitles) break
    }
    return { rows: rows.reverse(), items: items.reverse(), interests: interests.reverse() }
  }

  private wanted({ audience, excluded, now }: TitleRequest) {
    const { skeleton } = this.catalogue
    const { rows } = this.mapping
    return (item: number) => {
      const row = rows[item] as number
      return row >= 0 && !excluded.has(row) && isAvailable(skeleton, row, now, audience)
    }
  }

  private best(past: Past, count: number, isWanted: (item: number) => boolean): number[] {
    const counts: [number, number] = [count, Math.ceil(count / newcomerEvery)]
    const [titles, newcomers] = this.ranker.bestApart(past, this.model.watchedCount, counts, isWanted)
    return interleaved(titles, newcomers, count).map(({ item }) => item)
  }

  /** Computed again when the catalogue has changed. */
  private get mapping() {
    const { skeleton, tree } = this.catalogue
    if (this.cachedMapping?.tree === tree) return this.cachedMapping
    const { ids } = this.model
    const rows = new Int32Array(ids.length).fill(-1)
    const items = new Int32Array(skeleton.size).fill(-1)
    ids.forEach((id, item) => {
      const row = skeleton.currentRow(id)
      if (row === undefined) return
      const other = items[row] as number
      // A model that is older than a replacement may know a title by several ids. Its own takes precedence.
      if (other >= 0 && skeleton.idOf(row) !== id) return
      if (other >= 0) rows[other] = -1
      items[row] = item
      // A title may have become the season of a show since the training.
      if (tree.title(row) === row) rows[item] = row
    })
    this.cachedMapping = { tree, rows, items }
    return this.cachedMapping
  }
}

/** While watched titles remain, at most every tenth place is for a newcomer: a title that nobody has watched yet. */
const newcomerEvery = 10
/** Newcomers have low scores, because they borrow a little from many titles. Multiplying by this makes them comparable. */
const worth = 20

/** Merges both lists. Newcomers get every tenth place, if their score is high enough, and all places after the last of the titles. */
export const interleaved = (titles: Scored[], newcomers: Scored[], count: number) => {
  const list: Scored[] = []
  const [known, fresh] = [[...titles], [...newcomers]]
  while (list.length < count) {
    const [title, newcomer] = [known[0], fresh[0]]
    const isTurn = (list.length + 1) % newcomerEvery === 0
    const isFresh = newcomer && (!title || (isTurn && newcomer.score * worth >= title.score))
    const next = isFresh ? fresh.shift() : known.shift()
    if (!next) break
    list.push(next)
  }
  return list
}
