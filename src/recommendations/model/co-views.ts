import type { TrainingSet } from './interactions.js'
import type { Gram } from './regression.js'

/** The items that viewers of an item also viewed, and how often. `count` replaces them with those of the next item. */
export class CoViews {
  /** The items, in the first `size` places. */
  readonly items: Uint32Array
  size = 0
  /** By item. */
  readonly counts: Float64Array
  /** The count of the item itself. */
  own = 0

  /** `weights` says how much the views of each user count. */
  constructor(
    private readonly set: TrainingSet,
    private readonly weights = new Float64Array(set.userCount).fill(1)
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

/** Up to this many items, the counts of all pairs are precomputed. They take 2 bytes per item squared. */
export const maxPrecomputed = 12_000

/** Where an item's row begins in the lower half of the matrix. */
const rowOf = (item: number) => (item * (item + 1)) / 2

export const precomputedGram = (set: TrainingSet): Gram => {
  const all = new Float32Array(rowOf(set.itemCount))
  const coViews = new CoViews(set)
  for (let item = 0; item < set.itemCount; item++) {
    coViews.count(item)
    const row = rowOf(item)
    for (let at = 0; at < coViews.size; at++) {
      const other = coViews.items[at] as number
      if (other < item) all[row + other] = coViews.counts[other] as number
    }
    all[row + item] = coViews.own
  }
  return (items, matrix, size) => {
    for (let i = 0; i < items.length; i++) {
      const row = rowOf(items[i] as number)
      for (let j = 0; j <= i; j++) matrix[i * size + j] = all[row + (items[j] as number)] as number
    }
  }
}

/** Counts pairs on demand. Beyond `maxViews` views, extrapolates from the first users, which are a random sample. */
export const countedGram = (set: TrainingSet, maxViews = 30_000): Gram => {
  const { userCount, viewerStarts, viewers } = set
  // A linked list per user of the items met so far: its newest entry, and for each entry the previous one.
  const newest = new Int32Array(userCount).fill(-1)
  let before = new Int32Array(1 << 12)
  let owners = new Int32Array(1 << 12)

  const makeRoom = (needed: number) => {
    if (needed <= before.length) return
    before = new Int32Array(needed * 2)
    owners = new Int32Array(needed * 2)
  }

  const viewsOf = (items: Uint32Array) => {
    let views = 0
    for (const item of items) views += (viewerStarts[item + 1] as number) - (viewerStarts[item] as number)
    return views
  }

  const clearLists = (items: Uint32Array, users: number) => {
    for (const item of items) {
      const end = viewerStarts[item + 1] as number
      for (let at = viewerStarts[item] as number; at < end && (viewers[at] as number) < users; at++) newest[viewers[at] as number] = -1
    }
  }

  return (items, matrix, size) => {
    const views = viewsOf(items)
    makeRoom(views)
    const part = Math.min(1, maxViews / views)
    const users = Math.ceil(part * userCount)
    const weight = 1 / part
    let entry = 0
    for (let i = 0; i < items.length; i++) {
      const row = i * size
      matrix.fill(0, row, row + i + 1)
      const end = viewerStarts[(items[i] as number) + 1] as number
      for (let at = viewerStarts[items[i] as number] as number; at < end; at++) {
        const user = viewers[at] as number
        if (user >= users) break
        const head = newest[user] as number
        matrix[row + i] = (matrix[row + i] as number) + weight
        for (let met = head; met >= 0; met = before[met] as number) {
          const place = row + (owners[met] as number)
          matrix[place] = (matrix[place] as number) + weight
        }
        before[entry] = head
        owners[entry] = i
        newest[user] = entry++
      }
    }
    clearLists(items, users)
  }
}

export const gramOf = (set: TrainingSet): Gram => (set.itemCount <= maxPrecomputed ? precomputedGram(set) : countedGram(set))
