import type { TrainingSet } from './interactions.js'
import { balanced, type Neighbours, Rows, selectBest } from './neighbours.js'
import { grouped } from './sparse-matrix.js'

/** Further apart than this, two views of a history have nothing to do with each other. */
const reach = 20

/** The items that were viewed shortly before or after an item, by distance. `count` replaces them by those of the next item. */
export class Succession {
  /** The items, in the first `size` places. */
  readonly items: Uint32Array
  size = 0
  /** By item: how often it was viewed before the counted item. */
  readonly before: Float64Array
  /** By item: how often it was viewed after the counted item. */
  readonly after: Float64Array
  /** Where in the histories each item was viewed, in the order of `viewers`. */
  private readonly places: Uint32Array
  private readonly weights: Float64Array

  constructor(
    private readonly set: TrainingSet,
    weightAt: (distance: number) => number
  ) {
    this.items = new Uint32Array(set.itemCount)
    this.before = new Float64Array(set.itemCount)
    this.after = new Float64Array(set.itemCount)
    this.places = grouped(set.items, set.itemCount).positions
    this.weights = new Float64Array(reach).map((_, at) => weightAt(at + 1))
  }

  count(item: number) {
    const { items: found, before, after, places } = this
    const { starts, items, viewerStarts, viewers } = this.set
    for (let at = 0; at < this.size; at++) {
      const other = found[at] as number
      before[other] = 0
      after[other] = 0
    }
    this.size = 0
    const end = viewerStarts[item + 1] as number
    for (let at = viewerStarts[item] as number; at < end; at++) {
      const user = viewers[at] as number
      const place = places[at] as number
      const first = Math.max(starts[user] as number, place - reach)
      const last = Math.min((starts[user + 1] as number) - 1, place + reach)
      for (let other = first; other < place; other++) this.add(items[other] as number, before, place - other)
      for (let other = place + 1; other <= last; other++) this.add(items[other] as number, after, other - place)
    }
  }

  private add(item: number, counts: Float64Array, distance: number) {
    if (this.before[item] === 0 && this.after[item] === 0) this.items[this.size++] = item
    counts[item] = (counts[item] as number) + (this.weights[distance - 1] as number)
  }
}

/** The settings of the chain, which counts what came after each item. */
export interface ChainShape {
  /** The power by which a pair counts less the further apart its views are. A decay would leave too little of the pairs of rare items. */
  distance: number
  /** How much a pair in the opposite order counts: titles watched on the same evening come in any order. */
  back: number
  /** The power of a count. The tenth user who goes from one item to another proves less than the first. */
  counts: number
  /** The power by which an item counts less the more views came after it. */
  sources: number
  /** Keeps the best `keep` neighbours of each item. */
  keep: number
}

/** Added to the count of what came after an item, so that few views prove little. */
const doubt = 2

export const chain = (set: TrainingSet, { distance, back, counts, sources, keep }: ChainShape): Neighbours => {
  const succession = new Succession(set, views => views ** -distance)
  const { items, before, after } = succession
  const values = new Float64Array(set.itemCount)
  const rows = new Rows(set.itemCount)
  for (let item = 0; item < set.itemCount; item++) {
    succession.count(item)
    let total = doubt
    for (let at = 0; at < succession.size; at++) {
      const other = items[at] as number
      const count = (after[other] as number) + back * (before[other] as number)
      values[other] = count
      total += count
    }
    const count = selectBest(items, succession.size, values, keep)
    const own = total ** -sources
    for (let at = 0; at < count; at++) rows.add(items[at] as number, (values[items[at] as number] as number) ** counts * own)
    rows.close()
  }
  return balanced(set, rows.sorted())
}
