import { isOpen } from '../../catalogue/availability.js'
import type { Catalogue } from '../../catalogue/catalogue.js'
import type { Country } from '../../catalogue/country.js'
import { Popular } from '../learning/popular.js'
import { aged, Scorer } from '../model/index.js'
import type { Model } from './model.js'
import type { Viewing } from './viewing.js'

/** A title that is recommended and the one of the user's own that speaks most for it, by rows of the skeleton. */
export interface Recommendation {
  row: number
  because?: number
}

/** So many of a user's titles tell what is to be watched next; older ones say little more. */
const telling = 200
/** How far down the popular titles are searched for those of a user's terms. */
const searched = 2000

const nobody: Viewing = { titles: new Map(), begun: new Set() }

/** What to watch next: by the model where it knows the user's titles, then what is popular in their terms, then what is popular. */
export class Recommender {
  readonly popular: Popular
  private learnt: { model: Model; items: Map<number, number>; scorer: Scorer } | undefined

  constructor(private readonly catalogue: Catalogue) {
    this.popular = new Popular(catalogue)
  }

  learn(model: Model) {
    const items = new Map<number, number>()
    model.ids.forEach((id, item) => {
      items.set(id, item)
    })
    // A title would be recommended twice.
    if (items.size < model.ids.length) throw new Error('It has a title twice')
    this.learnt = { model, items, scorer: new Scorer(model.neighbours) }
  }

  recommend(viewing: Viewing = nobody, country: Country, count: number, now = Date.now()): Recommendation[] {
    const personal = this.personal(viewing, country, count, now)
    return [...personal, ...this.filling(viewing, country, count - personal.length, new Set(personal.map(({ row }) => row)), now)]
  }

  private personal({ titles, begun }: Viewing, country: Country, count: number, now: number): Recommendation[] {
    if (!this.learnt) return []
    const { skeleton, tree } = this.catalogue
    const { model, items, scorer } = this.learnt
    const rowOf = (item: number) => skeleton.row(model.ids[item] as number)

    const known: { row: number; item: number; interest: number }[] = []
    for (const [row, interest] of titles) {
      const item = items.get(skeleton.idOf(row))
      if (item !== undefined) known.push({ row, item, interest })
      if (known.length === telling) break
    }
    known.reverse()
    const interests = known.map(({ interest }) => interest)
    const history = { items: known.map(({ item }) => item), weights: aged(known.length, model.halfLife, interests) }

    const isWanted = (item: number) => {
      const row = rowOf(item)
      // What was a title when the model was trained may be the season of a show by now.
      return row !== undefined && !begun.has(row) && isOpen(skeleton, row, now, country) && tree.title(row) === row
    }
    return scorer.best(history, count, isWanted).map(({ item }) => {
      const because = known[scorer.reason(history, item)]?.row
      return { row: rowOf(item) as number, ...(because !== undefined && { because }) }
    })
  }

  private filling({ titles, begun }: Viewing, country: Country, count: number, taken: Set<number>, now: number): Recommendation[] {
    const { terms } = this.catalogue.skeleton
    const watched = new Set([...titles.keys()].slice(0, telling).flatMap(row => terms.get(row)))
    const akin: number[] = []
    const others: number[] = []
    let looked = 0
    for (const row of this.popular.titles(country, now)) {
      const isEnough = akin.length >= count || (akin.length + others.length >= count && (watched.size === 0 || looked > searched))
      if (isEnough) break
      looked++
      if (begun.has(row) || taken.has(row)) continue
      const fits = terms.get(row).some(term => watched.has(term))
      ;(fits ? akin : others).push(row)
    }
    return [...akin, ...others].slice(0, count).map(row => ({ row }))
  }
}
