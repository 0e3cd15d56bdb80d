import { isOpen } from '../../catalogue/availability.js'
import type { Catalogue } from '../../catalogue/catalogue.js'
import type { Country } from '../../catalogue/country.js'
import { Best, historyOf, Scorer } from '../model/index.js'
import type { StoredModel } from '../stored-model.js'
import { newcomerEvery, withNewcomers } from './newcomers.js'
import { Popular } from './popular.js'
import type { Viewing } from './viewing.js'

/** A recommended title, and the watched title that contributes most to it, as rows of the skeleton. */
export interface Recommendation {
  row: number
  because?: number
}

/** Only the newest titles of a history are used. Older ones add little. */
const newestTitles = 200
/** How many popular titles are searched for titles with the user's terms. */
const searchDepth = 2000

const nobody: Viewing = { titles: new Map(), excluded: new Set() }

/** Recommends titles by the model, then popular titles with the terms of what the user has watched, then other popular titles. */
export class Recommender {
  readonly popular: Popular
  private inUse: { model: StoredModel; items: Map<number, number>; scorer: Scorer } | undefined

  constructor(private readonly catalogue: Catalogue) {
    this.popular = new Popular(catalogue)
  }

  use(model: StoredModel) {
    const items = new Map<number, number>()
    model.ids.forEach((id, item) => {
      items.set(id, item)
    })
    if (items.size < model.ids.length) throw new Error('The model contains a title twice')
    this.inUse = { model, items, scorer: new Scorer(model.links) }
  }

  recommend(viewing: Viewing = nobody, country: Country | undefined, count: number, now = Date.now()): Recommendation[] {
    const personal = this.personal(viewing, country, count, now)
    return [...personal, ...this.filling(viewing, country, count - personal.length, new Set(personal.map(({ row }) => row)), now)]
  }

  private personal({ titles, excluded }: Viewing, country: Country | undefined, count: number, now: number): Recommendation[] {
    if (!this.inUse) return []
    const { skeleton, tree } = this.catalogue
    const { model, items, scorer } = this.inUse
    const rowOf = (item: number) => skeleton.row(model.ids[item] as number)

    const known: { row: number; item: number; interest: number }[] = []
    for (const [row, interest] of titles) {
      const item = items.get(skeleton.idOf(row))
      if (item !== undefined) known.push({ row, item, interest })
      if (known.length === newestTitles) break
    }
    known.reverse()
    const history = historyOf(
      known.map(({ item }) => item),
      model.halfLives,
      known.map(({ interest }) => interest)
    )

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
    return withNewcomers(best.taken, newcomers.taken, count).map(({ item }) => {
      const because = known[scorer.reason(history, item)]?.row
      return { row: rowOf(item) as number, ...(because !== undefined && { because }) }
    })
  }

  private filling(
    { titles, excluded }: Viewing,
    country: Country | undefined,
    count: number,
    taken: Set<number>,
    now: number
  ): Recommendation[] {
    const { terms } = this.catalogue.skeleton
    const watched = new Set([...titles.keys()].slice(0, newestTitles).flatMap(row => terms.get(row)))
    const related: number[] = []
    const others: number[] = []
    let searched = 0
    for (const row of this.popular.titles(country, now)) {
      const isEnough =
        related.length >= count || (related.length + others.length >= count && (watched.size === 0 || searched > searchDepth))
      if (isEnough) break
      searched++
      if (excluded.has(row) || taken.has(row)) continue
      const isRelated = terms.get(row).some(term => watched.has(term))
      ;(isRelated ? related : others).push(row)
    }
    return [...related, ...others].slice(0, count).map(row => ({ row }))
  }
}
