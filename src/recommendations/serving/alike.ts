import type { Catalogue } from '../../catalogue/catalogue.js'
import type { Popular } from './popular.js'
import type { TitleRequest } from './title-request.js'

/** The score of a shared type: less than that of any shared term. */
const sameType = 1e-9

/** Finds similar titles by terms and type alone, for titles that the model knows too little about. */
export class Alike {
  private counted: { tree: Catalogue['tree']; titles: number; having: Map<number, number> } | undefined

  constructor(
    private readonly catalogue: Catalogue,
    private readonly popular: Popular
  ) {}

  /** The open titles that share the rarest terms with this one, then others of its type. On a tie, the more popular comes first. */
  best(title: number, request: TitleRequest): number[] {
    const { skeleton } = this.catalogue
    const { type } = skeleton
    const own = type.get(title)
    const sharedTerms = skeleton.termSums(this.rarities(skeleton.terms.get(title)))
    return this.popular.best(row => sharedTerms(row) || (type.get(row) === own ? sameType : 0), request)
  }

  /** The squares let one rare term count more than several common ones. A term that all titles have still counts a little. */
  private rarities(terms: readonly number[]) {
    const { titles, having } = this.counts()
    return terms.map(term => [term, Math.log(1 + titles / (having.get(term) as number)) ** 2] as const)
  }

  private counts() {
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
