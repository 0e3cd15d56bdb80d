import type { TrainingSet } from './interactions.js'
import { Growing, transposed } from './sparse-matrix.js'

/** For each item (a row), the items to recommend to its viewers, in ascending order, and how strongly. */
export interface Neighbours {
  /** Where each row begins, and where the last one ends. */
  starts: Uint32Array
  targets: Uint32Array
  weights: Float32Array
}

/** Builds neighbours row by row, each in any order. */
export class Rows {
  private readonly starts: Uint32Array
  private readonly targets = new Growing(new Uint32Array(1 << 16))
  private readonly weights = new Growing(new Float32Array(1 << 16))
  private row = 0

  constructor(count: number) {
    this.starts = new Uint32Array(count + 1)
  }

  add(target: number, weight: number) {
    this.targets.push(target)
    this.weights.push(weight)
  }

  close() {
    this.starts[++this.row] = this.targets.size
  }

  all(): Neighbours {
    return { starts: this.starts, targets: this.targets.all, weights: this.weights.all }
  }

  /** Reversing twice sorts each row. */
  sorted() {
    return reversed(reversed(this.all()))
  }
}

/** Swaps sources and targets. The rows of the result are sorted. */
export const reversed = (rows: Neighbours): Neighbours => transposed(rows, rows.starts.length - 1)

/** Scales all weights to a total of 1 per view on average, so that a share of a model means the same for all models. */
export const balanced = ({ viewerStarts, items }: TrainingSet, rows: Neighbours): Neighbours => {
  const { starts, weights } = rows
  let sum = 0
  for (let row = 0; row < starts.length - 1; row++) {
    const views = (viewerStarts[row + 1] as number) - (viewerStarts[row] as number)
    for (let at = starts[row] as number; at < (starts[row + 1] as number); at++) sum += views * Math.abs(weights[at] as number)
  }
  return weighted(rows, sum > 0 ? items.length / sum : 1)
}

/** The first place from `low` on, before `end`, whose target is not below the given one. The targets in this range must be sorted. */
export const placeOf = (targets: Uint32Array, low: number, end: number, target: number) => {
  let from = low
  let to = end
  while (from < to) {
    const middle = (from + to) >> 1
    if ((targets[middle] as number) < target) from = middle + 1
    else to = middle
  }
  return from
}

export const weighted = ({ starts, targets, weights }: Neighbours, factor: number): Neighbours => ({
  starts,
  targets,
  weights: weights.map(weight => weight * factor)
})

const isBefore = (a: number, b: number, values: Float64Array) => {
  const one = values[a] as number
  const other = values[b] as number
  return one > other || (one === other && a < b)
}

/** Partitions the items from `low` to `high` (Hoare): no item up to the returned place sorts after one behind it. */
const partition = (items: Uint32Array, low: number, high: number, values: Float64Array) => {
  const pivot = items[(low + high) >> 1] as number
  let left = low
  let right = high
  for (;;) {
    while (isBefore(items[left] as number, pivot, values)) left++
    while (isBefore(pivot, items[right] as number, values)) right--
    if (left >= right) return right
    const moved = items[left] as number
    items[left++] = items[right] as number
    items[right--] = moved
  }
}

/** Moves the `count` items with the highest values to the front (quickselect). Returns how many there are. Ties go to the lower item. */
export const selectBest = (items: Uint32Array, size: number, values: Float64Array, count: number) => {
  if (size <= count) return size
  let low = 0
  let high = size - 1
  while (low < high) {
    const middle = partition(items, low, high, values)
    if (count - 1 <= middle) high = middle
    else low = middle + 1
  }
  return count
}
