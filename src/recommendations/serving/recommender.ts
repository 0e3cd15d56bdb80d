import type { Audience, Country } from '../../catalogue/audience.js'
import type { Catalogue } from '../../catalogue/catalogue.js'
import type { StoredModel } from '../stored-model.js'
import { Alike } from './alike.js'
import { Popular } from './popular.js'
import { ServedModel } from './served-model.js'
import type { TitleRequest } from './title-request.js'
import { varied } from './varied.js'
import type { Viewing } from './viewing.js'

/** A recommended title, and the watched title that contributes most to it, as rows of the skeleton. */
export interface Recommendation {
  title: number
  because?: number | undefined
}

/** Only the newest titles of a history are used. Older ones add little. */
const newestTitles = 200
/** How many popular titles are searched for titles with the user's terms. */
const searchDepth = 2000
/** A varied list is chosen from this many times as many titles. */
const choiceDepth = 5

const nobody: Viewing = { titles: new Map(), excluded: new Set() }

/** Recommends titles by the model, then popular titles with the terms of what the user has watched, then other popular titles. */
export class Recommender {
  readonly popular: Popular
  private readonly alike: Alike
  private model: ServedModel | undefined
  private modelVersion = 0

  constructor(private readonly catalogue: Catalogue) {
    this.popular = new Popular(catalogue)
    this.alike = new Alike(catalogue, this.popular)
  }

  use(model: StoredModel) {
    this.model = new ServedModel(this.catalogue, model)
    this.modelVersion++
  }

  /** Part of a cache key: with the same catalogue, an equal version means the same recommendations. */
  version(country: Country | undefined) {
    const { popular } = this
    return [this.modelVersion, popular.version, popular.countedIn(country)] as const
  }

  recommend(viewing: Viewing = nobody, audience: Audience, count: number, now = Date.now()): Recommendation[] {
    const personal = [...this.personal(viewing, { audience, count, excluded: viewing.excluded, now })]
    if (personal.length === count) return personal
    return [...personal, ...this.filling(viewing, audience, count - personal.length, new Set(personal.map(({ title }) => title)), now)]
  }

  /** Like `recommend`, but limits how many adjacent recommendations have the same watched title as their reason. */
  recommendVaried(viewing: Viewing, audience: Audience, count: number, now = Date.now()): Recommendation[] {
    return varied(this.candidates(viewing, audience, count, now), count)
  }

  private *candidates(viewing: Viewing, audience: Audience, count: number, now: number) {
    const taken = new Set<number>()
    for (const recommendation of this.personal(viewing, { audience, count: count * choiceDepth, excluded: viewing.excluded, now })) {
      taken.add(recommendation.title)
      yield recommendation
    }
    yield* this.filling(viewing, audience, count, taken, now)
  }

  /** Open titles like this one, as rows of the skeleton: by the model, then by terms and type. The excluded ones are left out. */
  similar(title: number, audience: Audience, count: number, excluded: Iterable<number> = [], now = Date.now()): number[] {
    const request = { audience, count, excluded: new Set(excluded).add(title), now }
    const known = this.neighbours(title, request)
    if (known.length === count) return known
    for (const row of known) request.excluded.add(row)
    return [...known, ...this.alike.best(title, { ...request, count: count - known.length })]
  }

  private neighbours(title: number, request: TitleRequest): number[] {
    const item = this.model?.item(title)
    if (!this.model || item === undefined) return []
    return this.model.best(this.model.history([item]), request).map(neighbour => neighbour.title)
  }

  private *personal({ titles }: Viewing, request: TitleRequest): Generator<Recommendation> {
    if (!this.model) return
    const { rows, items, interests } = knownTo(this.model, titles)
    if (rows.length === 0) return
    const history = this.model.history(items, interests)
    for (const { title, item } of this.model.best(history, request)) yield { title, because: rows[this.model.strongest(history, item)] }
  }

  private filling({ titles, excluded }: Viewing, audience: Audience, count: number, taken: Set<number>, now: number): Recommendation[] {
    const { terms } = this.catalogue.skeleton
    const watched = new Set([...titles.keys()].slice(0, newestTitles).flatMap(row => terms.get(row)))
    const related: number[] = []
    const others: number[] = []
    let searched = 0
    for (const row of this.popular.titles(audience, now)) {
      const isEnough =
        related.length >= count || (related.length + others.length >= count && (watched.size === 0 || searched > searchDepth))
      if (isEnough) break
      searched++
      if (excluded.has(row) || taken.has(row)) continue
      const isRelated = terms.get(row).some(term => watched.has(term))
      ;(isRelated ? related : others).push(row)
    }
    return [...related, ...others].slice(0, count).map(title => ({ title }))
  }
}

/** The newest titles that the model knows, the oldest of them first. */
const knownTo = (model: ServedModel, titles: Viewing['titles']) => {
  const rows: number[] = []
  const items: number[] = []
  const interests: number[] = []
  for (const [row, interest] of titles) {
    const item = model.item(row)
    if (item === undefined) continue
    rows.push(row)
    items.push(item)
    interests.push(interest)
    if (rows.length === newestTitles) break
  }
  return { rows: rows.reverse(), items: items.reverse(), interests: interests.reverse() }
}
