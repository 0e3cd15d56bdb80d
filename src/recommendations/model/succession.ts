import { type TrainingSet, viewCounts } from './interactions.js'
import { balanced, type Neighbours, Rows, selectBest } from './neighbours.js'
import { grouped } from './sparse-matrix.js'

/** Two views of a history that are further apart are unrelated. */
const reach = 20

/** The items that were viewed shortly before or after an item, by distance. `count` replaces them with those of the next item. */
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
    weightAt: (distance: number) => number,
    private readonly furthest = reach
  ) {
    this.items = new Uint32Array(set.itemCount)
    this.before = new Float64Array(set.itemCount)
    this.after = new Float64Array(set.itemCount)
    this.places = grouped(set.items, set.itemCount).positions
    this.weights = new Float64Array(furthest).map((_, at) => weightAt(at + 1))
  }

  count(item: number) {
    const { items: found, before, after, places, furthest } = this
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
      const first = Math.max(starts[user] as number, place - furthest)
      const last = Math.min((starts[user + 1] as number) - 1, place + furthest)
      for (let other = first; other < place; other++) this.add(items[other] as number, before, place - other)
      for (let other = place + 1; other <= last; other++) this.add(items[other] as number, after, other - place)
    }
  }

  private add(item: number, counts: Float64Array, distance: number) {
    if (this.before[item] === 0 && this.after[item] === 0) this.items[this.size++] = item
    counts[item] = (counts[item] as number) + (this.weights[distance - 1] as number)
  }
}

/**
 * The power by which a pair counts less the further apart its views are. An exponential decay would leave too little for pairs of rare
 * items.
 */
const distance = 0.5
/** How much a pair in the opposite order counts, because titles watched on the same evening may be in any order. */
const back = 0.2
/** The power of a count. The tenth user who goes from one item to another proves less than the first. */
const counts = 0.7
/** The power by which an item counts less the more views came after it. */
const sources = 0.2
/** Added to the count of what came after an item, so that few views prove little. */
const doubt = 2

/** What follows each item, by counts. Keeps the best `keep` of each. */
export const chain = (set: TrainingSet, keep: number): Neighbours => {
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

/** Up to this distance, an item was watched shortly before or after another one. */
const nearby = 10
/** Few viewers of an item prove little, and neither do many viewers of a popular one. */
const few = 5
const popularity = 0.25

/** How often items were viewed shortly before or after each other. Keeps the best `keep` of each. */
export const surroundings = (set: TrainingSet, side: 'before' | 'after', keep: number): Neighbours => {
  const succession = new Succession(set, distance => 1 / distance, nearby)
  const { items } = succession
  const counted = succession[side]
  const views = viewCounts(set)
  const values = new Float64Array(set.itemCount)
  const rows = new Rows(set.itemCount)
  for (let item = 0; item < set.itemCount; item++) {
    succession.count(item)
    for (let at = 0; at < succession.size; at++) {
      const other = items[at] as number
      values[other] = (counted[other] as number) / ((views[item] as number) + few) / (views[other] as number) ** popularity
    }
    addBest(rows, succession, values, keep)
  }
  return balanced(set, rows.sorted())
}

/** Ends a row with the largest values. */
const addBest = (rows: Rows, { items, size }: Succession, values: Float64Array, keep: number) => {
  const count = selectBest(items, size, values, keep)
  for (let at = 0; at < count; at++) {
    const other = items[at] as number
    if (values[other] !== 0) rows.add(other, values[other] as number)
  }
  rows.close()
}

/** If this many viewers all go on to the same item, it is no coincidence. */
export const enoughToBeSure = 3

/**
 * Of the viewers who went on from each item, the share who soon went on to another one. It is 1, which means certain to follow, only if at
 * least three did, and all of them. Keeps the largest `keep` of each.
 */
export const followers = (set: TrainingSet, keep: number): Neighbours => {
  const succession = new Succession(set, () => 1)
  const { items, after } = succession
  const leaving = new Float64Array(set.itemCount)
  for (let user = 0; user < set.userCount; user++) {
    const last = (set.starts[user + 1] as number) - 1
    for (let at = set.starts[user] as number; at < last; at++) {
      const item = set.items[at] as number
      leaving[item] = (leaving[item] as number) + 1
    }
  }
  const values = new Float64Array(set.itemCount)
  const rows = new Rows(set.itemCount)
  for (let item = 0; item < set.itemCount; item++) {
    succession.count(item)
    const viewers = leaving[item] as number
    for (let at = 0; at < succession.size; at++) {
      const other = items[at] as number
      const count = after[other] as number
      values[other] = count === viewers && count >= enoughToBeSure ? 1 : count / (viewers + doubt)
    }
    addBest(rows, succession, values, keep)
  }
  return rows.sorted()
}
