import { startsOf } from './interactions.js'
import type { TrainingSet } from './training-set.js'

/** Further apart than this, two views of a history have nothing to do with each other. */
const reach = 20

/**
 * The items that were viewed shortly before or after an item by the same user. What a pair counts depends on its distance in views.
 * `count` replaces them by those of the next item.
 */
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
    this.places = placesOf(set)
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

const placesOf = ({ items, itemCount }: TrainingSet) => {
  const ends = startsOf(items, itemCount)
  const places = new Uint32Array(items.length)
  items.forEach((item, place) => {
    const at = ends[item] as number
    places[at] = place
    ends[item] = at + 1
  })
  return places
}
