import type { TrainingSet } from './training-set.js'

/** The items that the viewers of an item also viewed, with weighted counts. `count` replaces them by those of the next item. */
export class CoViews {
  /** The items, in the first `size` places. */
  readonly items: Uint32Array
  size = 0
  /** By item. */
  readonly counts: Float64Array
  /** The count of the item itself. */
  own = 0

  constructor(
    private readonly set: TrainingSet,
    private readonly weights: Float64Array
  ) {
    this.items = new Uint32Array(set.itemCount)
    this.counts = new Float64Array(set.itemCount)
  }

  count(item: number) {
    const { items: found, counts, weights } = this
    const { starts, items, viewerStarts, viewers } = this.set
    for (let at = 0; at < this.size; at++) counts[found[at] as number] = 0

    let size = 0
    const end = viewerStarts[item + 1] as number
    for (let at = viewerStarts[item] as number; at < end; at++) {
      const user = viewers[at] as number
      const weight = weights[user] as number
      const last = starts[user + 1] as number
      for (let place = starts[user] as number; place < last; place++) {
        const other = items[place] as number
        const count = counts[other] as number
        if (count === 0) found[size++] = other
        counts[other] = count + weight
      }
    }

    this.own = counts[item] as number
    counts[item] = 0
    let others = 0
    for (let at = 0; at < size; at++) {
      const other = found[at] as number
      if (other !== item) found[others++] = other
    }
    this.size = others
  }
}
