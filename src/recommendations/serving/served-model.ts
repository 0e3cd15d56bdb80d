import { isOpen } from '../../catalogue/availability.js'
import type { Catalogue } from '../../catalogue/catalogue.js'
import { Best, type History, historyOf, Scorer } from '../model/index.js'
import type { StoredModel } from '../stored-model.js'
import type { Choice } from './choice.js'
import { newcomerEvery, withNewcomers } from './newcomers.js'

/** A model whose items are titles of the catalogue, as rows of the skeleton. */
export class ServedModel {
  private readonly items = new Map<number, number>()
  private readonly scorer: Scorer

  constructor(
    private readonly catalogue: Catalogue,
    private readonly model: StoredModel
  ) {
    model.ids.forEach((id, item) => {
      this.items.set(id, item)
    })
    if (this.items.size < model.ids.length) throw new Error('The model contains a title twice')
    this.scorer = new Scorer(model.links)
  }

  /** Undefined if the model does not know the title. */
  item(row: number) {
    return this.items.get(this.catalogue.skeleton.idOf(row))
  }

  /** `items` begin with the oldest. Without interests, each counts the same. */
  history(items: number[], interests?: number[]) {
    return historyOf(items, this.model.halfLives, interests)
  }

  /** The open titles that fit a history, the best first, with the index in the history of the item that contributes most. */
  best(history: History, { country, count, excluded, now }: Choice): { row: number; reason: number }[] {
    const { model, scorer } = this
    const { skeleton, tree } = this.catalogue
    const rowOf = (item: number) => skeleton.row(model.ids[item] as number)
    const isWanted = (item: number) => {
      const row = rowOf(item)
      // Since the training, a title may have become the season of a show.
      return row !== undefined && !excluded.has(row) && isOpen(skeleton, row, now, country) && tree.title(row) === row
    }
    const best = new Best(count)
    const newcomers = new Best(Math.ceil(count / newcomerEvery))
    scorer.each(history, (item, score) => {
      const list = item < model.watched ? best : newcomers
      if (score >= list.least && isWanted(item)) list.offer(item, score)
    })
    return withNewcomers(best.taken, newcomers.taken, count).map(({ item }) => ({
      row: rowOf(item) as number,
      // Takes as long as all else, and not all callers need it.
      get reason() {
        return scorer.reason(history, item)
      }
    }))
  }
}
