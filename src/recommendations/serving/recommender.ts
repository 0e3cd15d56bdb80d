import { Cache } from '../../cache.js'
import { type Audience, type Country, segmentOf } from '../../catalogue/audience.js'
import type { Catalogue } from '../../catalogue/catalogue.js'
import type { Viewing } from '../interest.js'
import type { StoredModel } from '../stored-model.js'
import { Popular, type TitleRequest } from './popular.js'
import { type Recommendation, varied } from './reasons.js'
import { newestTitles, ServedModel } from './served-model.js'

/** How many popular titles are searched for the user's terms. */
const searchDepth = 2000
/** A varied list is chosen from this many times its length. */
const choiceDepth = 5
/** The score of a shared type: less than that of any shared term. */
const sameType = 1e-9

/** Enough for some thousand viewers. */
const keptBytes = 8 * 1024 * 1024
const bytesOfOne = 40

interface Kept {
  recommendations: Recommendation[]
  /** When the availability of an item next changes. */
  until: number
}

const nobody: Viewing = { titles: new Map(), excluded: new Set(), faded: new Set() }

/** The first titles that `choose` finds, faded ones last. */
export const fadedLast = <T>(
  { excluded, faded }: Pick<Viewing, 'excluded' | 'faded'>,
  count: number,
  choose: (excluded: Set<number>) => T[],
  titleOf: (chosen: T) => number
): T[] => {
  if (faded.size === 0) return choose(excluded)
  const first = choose(new Set([...excluded, ...faded]))
  // Fewer than `count` means that there are no others.
  if (first.length === count) return first
  return [...first, ...choose(excluded).filter(one => faded.has(titleOf(one)))].slice(0, count)
}

/** Recommends titles by the model, then popular titles with the terms of what the user has watched, then other popular titles. */
export class Recommender {
  readonly popular: Popular
  private model: ServedModel | undefined
  private modelVersion = 0
  private readonly kept = new Cache<string, Kept>(keptBytes, ({ recommendations }) => recommendations.length * bytesOfOne)
  private counted: { tree: Catalogue['tree']; titles: number; having: Map<number, number> } | undefined

  constructor(private readonly catalogue: Catalogue) {
    this.popular = new Popular(catalogue)
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
    const rank = (excluded: Set<number>) => {
      const personal = this.personal(viewing, { audience, count, excluded, now })
      if (personal.length === count) return personal
      const taken = new Set(personal.map(({ title }) => title))
      return [...personal, ...this.filling({ ...viewing, excluded }, audience, count - personal.length, taken, now)]
    }
    return fadedLast(viewing, count, rank, ({ title }) => title)
  }

  /**
   * The result of `make`, cached until the model or the catalogue changes. `name` stands for everything else that `make` depends on besides
   * the audience: the number of titles, and the history.
   */
  remembered(name: string, audience: Audience, make: () => Recommendation[], now = Date.now()) {
    const { skeleton, version, listing } = this.catalogue
    const key = [name, segmentOf(skeleton, audience), version, ...this.version(audience.country)].join(' ')
    const known = this.kept.get(key)
    if (known && now < known.until) return known.recommendations
    const until = listing.validUntil(now)
    const recommendations = make()
    this.kept.set(key, { recommendations, until })
    return recommendations
  }

  /** Like `recommend`, but limits how many adjacent recommendations have the same watched title as their reason. */
  recommendVaried(viewing: Viewing, audience: Audience, count: number, now = Date.now()): Recommendation[] {
    return varied(this.candidatesFadedLast(viewing, audience, count, now), count)
  }

  /** Available titles like this one, as rows of the skeleton: by the model, then by terms and type. */
  similar(title: number, audience: Audience, count: number, excluded: Iterable<number> = [], now = Date.now()): number[] {
    const request = { audience, count, excluded: new Set(excluded).add(title), now }
    const known = this.model?.similar(title, request) ?? []
    if (known.length === count) return known
    for (const row of known) request.excluded.add(row)
    return [...known, ...this.alike(title, { ...request, count: count - known.length })]
  }

  /** Does not use `fadedLast`, because varying two lists separately may leave too many of the same reason where they meet. */
  private *candidatesFadedLast(viewing: Viewing, audience: Audience, count: number, now: number) {
    const { excluded, faded } = viewing
    yield* this.candidates({ ...viewing, excluded: new Set([...excluded, ...faded]) }, audience, count, now)
    if (faded.size === 0) return
    for (const candidate of this.candidates(viewing, audience, count, now)) if (faded.has(candidate.title)) yield candidate
  }

  private *candidates(viewing: Viewing, audience: Audience, count: number, now: number) {
    const taken = new Set<number>()
    for (const recommendation of this.personal(viewing, { audience, count: count * choiceDepth, excluded: viewing.excluded, now })) {
      taken.add(recommendation.title)
      yield recommendation
    }
    yield* this.filling(viewing, audience, count, taken, now)
  }

  private personal({ titles }: Viewing, request: TitleRequest): Recommendation[] {
    return this.model?.recommend(titles, request) ?? []
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

  /**
   * The available titles that share the rarest terms and people with this one, then others of its type. On a tie, the more popular comes
   * first.
   */
  private alike(title: number, request: TitleRequest): number[] {
    const { skeleton } = this.catalogue
    const { type } = skeleton
    const own = type.get(title)
    const { titles, having } = this.termCounts()
    const terms = skeleton.terms.get(title).map(term => [term, rarityOf(titles, having.get(term) as number)] as const)
    const sharedTerms = skeleton.termSums(terms)
    const sharedPeople = this.sharedPeople(title, titles)
    return this.popular.best(row => sharedTerms(row) + (sharedPeople.get(row) ?? 0) || (type.get(row) === own ? sameType : 0), request)
  }

  /** For each title that has people in common with this one, the sum of their rarities. */
  private sharedPeople(title: number, titles: number) {
    const { skeleton, tree } = this.catalogue
    const sums = new Map<number, number>()
    for (const person of skeleton.people.of(title)) {
      const having: number[] = []
      skeleton.people.eachRow(person, row => {
        if (tree.title(row) === row) having.push(row)
      })
      for (const row of having) sums.set(row, (sums.get(row) ?? 0) + rarityOf(titles, having.length))
    }
    return sums
  }

  /** How many titles have each term. Counted again when the catalogue has changed. */
  private termCounts() {
    const { skeleton, tree } = this.catalogue
    if (this.counted?.tree === tree) return this.counted
    const having = new Map<number, number>()
    let titles = 0
    for (let row = 0; row < skeleton.size; row++) {
      if (tree.title(row) !== row) continue
      titles++
      for (const term of skeleton.terms.get(row)) having.set(term, (having.get(term) ?? 0) + 1)
    }
    this.counted = { tree, titles, having }
    return this.counted
  }
}

/** Squared, so that one rare term or person counts more than several common ones. A term that all titles have still counts a little. */
const rarityOf = (titles: number, having: number) => Math.log(1 + titles / having) ** 2
