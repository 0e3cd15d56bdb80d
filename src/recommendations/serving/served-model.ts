import { isOpen } from '../../catalogue/availability.js'
import type { Catalogue } from '../../catalogue/catalogue.js'
import { type History, historyOf, Scorer, StrongestLinks } from '../model/index.js'
import type { StoredModel } from '../stored-model.js'
import { interleaved, newcomerEvery } from './newcomers.js'
import type { TitleRequest } from './title-request.js'

/** The mapping between the items of a model and the titles of a catalogue. */
interface ItemMapping {
  tree: Catalogue['tree']
  /** The row of each item, or -1 if it is no title of the catalogue. */
  rows: Int32Array
  /** The item of each row, or -1 if the model does not know it. */
  items: Int32Array
}

/** A model whose items are titles of the catalogue, as rows of the skeleton. */
export class ServedModel {
  private readonly scorer: Scorer
  private readonly strongestLinks: StrongestLinks
  private cachedMapping: ItemMapping | undefined

  constructor(
    private readonly catalogue: Catalogue,
    private readonly model: StoredModel
  ) {
    if (new Set(model.ids).size < model.ids.length) throw new Error('The model contains a title twice')
    this.scorer = new Scorer(model.links)
    this.strongestLinks = new StrongestLinks(model.links)
  }

  /** Undefined if the model does not know the title. */
  item(row: number) {
    const item = this.mapping.items[row] as number
    return item < 0 ? undefined : item
  }

  /** `items` begin with the oldest. Without interests, each counts the same. */
  history(items: number[], interests?: number[]) {
    return historyOf(items, this.model.halfLives, interests)
  }

  /** The open titles that fit a history, the best first. */
  best(history: History, { audience, count, excluded, now }: TitleRequest): { title: number; item: number }[] {
    const { model, scorer } = this
    const { skeleton } = this.catalogue
    const { rows } = this.mapping
    const isWanted = (item: number) => {
      const row = rows[item] as number
      return row >= 0 && !excluded.has(row) && isOpen(skeleton, row, now, audience)
    }
    const counts: [number, number] = [count, Math.ceil(count / newcomerEvery)]
    const [titles, newcomers] = scorer.bestApart(history, model.watched, counts, isWanted)
    return interleaved(titles, newcomers, count).map(({ item }) => ({ title: rows[item] as number, item }))
  }

  /** The index in the history of the item that contributes most to the score of `item`. */
  strongest(history: History, item: number) {
    return this.strongestLinks.of(history, item)
  }

  /** Computed again when the catalogue has changed. */
  private get mapping() {
    const { skeleton, tree } = this.catalogue
    if (this.cachedMapping?.tree === tree) return this.cachedMapping
    const { ids } = this.model
    const rows = new Int32Array(ids.length).fill(-1)
    const items = new Int32Array(skeleton.size).fill(-1)
    ids.forEach((id, item) => {
      const row = skeleton.row(id)
      if (row === undefined) return
      items[row] = item
      // Since the training, a title may have become the season of a show.
      if (tree.title(row) === row) rows[item] = row
    })
    this.cachedMapping = { tree, rows, items }
    return this.cachedMapping
  }
}
