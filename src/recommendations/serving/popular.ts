import { Cache } from '../../cache.js'
import { type Audience, type Country, isAvailable } from '../../catalogue/audience.js'
import type { Catalogue } from '../../catalogue/catalogue.js'
import { defaultOrder, type Views } from '../../catalogue/listing.js'
import { Best } from '../model/index.js'
import { anywhere, type PopularityDocument } from '../popularity-documents.js'

/** How many available titles to choose, and for whom. `excluded` has rows of the skeleton. */
export interface TitleRequest {
  audience: Audience
  count: number
  excluded: ReadonlySet<number>
  now: number
}

/** A view in the caller's country counts as much as 1 + this many views elsewhere. */
const homeFactor = 10

/** In bytes. There is one order per country with views. */
const cacheSize = 4 * 1024 * 1024

type Counts = Map<string, PopularityDocument>

/** Titles sorted by recent views. Sorted again when the counts or the catalogue change. */
export class Popular implements Views {
  private counts: Counts = new Map()
  private readonly orders = new Cache<string, Int32Array>(cacheSize, ({ byteLength }) => byteLength)
  private tree: Catalogue['tree'] | undefined
  /** Incremented when new counts are put. */
  version = 0

  constructor(private readonly catalogue: Catalogue) {}

  put(countries: PopularityDocument[]) {
    this.counts = new Map(countries.map(document => [document._id, document]))
    this.orders.clear()
    this.version++
  }

  /** The country whose counts sort the titles for this one, or `anywhere`. */
  countedIn(country: Country | undefined) {
    return country !== undefined && this.counts.has(country) ? country : anywhere
  }

  /** Rows of the available titles, most popular first. Titles without views follow in the default order of contents. */
  *titles(audience: Audience, now: number): Generator<number> {
    const { skeleton, tree, listing } = this.catalogue
    const watched = this.mostViewed(audience.country)
    for (const row of watched) if (isAvailable(skeleton, row, now, audience)) yield row
    const seen = new Set(watched)
    for (const row of listing.open(defaultOrder, audience, now)) {
      if (!seen.has(row) && tree.title(row) === row) yield row
    }
  }

  /** Rows of the available titles with the highest scores above 0. A generator like `titles` would take ten times as long. */
  best(score: (row: number) => number, { audience, count, excluded, now }: TitleRequest): number[] {
    const { skeleton, tree, listing } = this.catalogue
    const found: number[] = []
    const best = new Best(count)
    const offer = (rows: Int32Array, isWanted: (row: number) => boolean) => {
      for (const row of rows) {
        const scored = score(row)
        // On a tie, the first one stays, because its place is lower.
        if (scored > best.least && !excluded.has(row) && isWanted(row)) best.offer(found.push(row) - 1, scored)
      }
    }
    offer(this.mostViewed(audience.country), row => isAvailable(skeleton, row, now, audience))
    const taken = new Set(best.taken.map(({ item }) => found[item]))
    offer(listing.open(defaultOrder, audience, now), row => !taken.has(row) && tree.title(row) === row)
    return best.taken.map(({ item }) => found[item] as number)
  }

  /** Rows of the titles with views, including unavailable ones, most viewed first. */
  mostViewed(country: Country | undefined) {
    const { tree } = this.catalogue
    if (this.tree !== tree) this.orders.clear()
    this.tree = tree
    const counted = this.countedIn(country)
    const known = this.orders.get(counted)
    if (known) return known
    const order = this.sorted(counted)
    this.orders.set(counted, order)
    return order
  }

  private sorted(country: string) {
    const { skeleton, tree } = this.catalogue
    const views = new Map<number, number>()
    const add = (counts: PopularityDocument | undefined, factor: number) =>
      counts?.content_ids.forEach((id, i) => {
        const title = tree.titleOf(id)
        if (title !== undefined) views.set(title, (views.get(title) ?? 0) + factor * (counts.views[i] as number))
      })
    add(this.counts.get(anywhere), 1)
    if (country !== anywhere) add(this.counts.get(country), homeFactor)
    const most = [...views].sort(([a, seen], [b, other]) => other - seen || skeleton.idOf(a) - skeleton.idOf(b))
    return Int32Array.from(most, ([row]) => row)
  }
}
