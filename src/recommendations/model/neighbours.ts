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

  /** The targets of the rows as rows, and the other way round. */
  reversed() {
    return reversed({ starts: this.starts, targets: this.targets.all, weights: this.weights.all })
  }

  /** Reversing twice sorts each row. */
  sorted() {
    return reversed(this.reversed())
  }
}

/** Swaps sources and targets. Each row comes out sorted. */
export const reversed = (rows: Neighbours): Neighbours => transposed(rows, rows.starts.length - 1)

/** The neighbours of two models side by side, ready to be added with any share of the second. */
export interface Blend {
  starts: Uint32Array
  targets: Uint32Array
  first: Float32Array
  second: Float32Array
}

export const blendOf = (one: Neighbours, other: Neighbours): Blend => {
  const count = one.starts.length - 1
  const starts = new Uint32Array(count + 1)
  const room = one.targets.length + other.targets.length
  const targets = new Uint32Array(room)
  const first = new Float32Array(room)
  const second = new Float32Array(room)
  let size = 0
  for (let row = 0; row < count; row++) {
    let a = one.starts[row] as number
    let b = other.starts[row] as number
    const endOfOne = one.starts[row + 1] as number
    const endOfOther = other.starts[row + 1] as number
    while (a < endOfOne || b < endOfOther) {
      const left = a < endOfOne ? (one.targets[a] as number) : Number.POSITIVE_INFINITY
      const right = b < endOfOther ? (other.targets[b] as number) : Number.POSITIVE_INFINITY
      targets[size] = Math.min(left, right)
      if (left <= right) first[size] = one.weights[a++] as number
      if (right <= left) second[size] = other.weights[b++] as number
      size++
    }
    starts[row + 1] = size
  }
  return { starts, targets: targets.subarray(0, size), first: first.subarray(0, size), second: second.subarray(0, size) }
}

export const mixed = ({ starts, targets, first, second }: Blend, share: number): Neighbours => {
  const weights = new Float32Array(targets.length)
  for (let at = 0; at < weights.length; at++) weights[at] = (first[at] as number) + share * (second[at] as number)
  return { starts, targets, weights }
}

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

/** Multiplies the weights of each target by a factor of its own. */
export const withFactors = ({ starts, targets, weights }: Neighbours, factors: Float64Array): Neighbours => ({
  starts,
  targets,
  weights: weights.map((weight, at) => weight * (factors[targets[at] as number] as number))
})

/** The first place from `low` on, before `end`, whose target is not below the given one. The targets there are sorted. */
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

/** Rows without neighbours. */
export const nothing = (count: number): Neighbours => ({
  starts: new Uint32Array(count + 1),
  targets: new Uint32Array(0),
  weights: new Float32Array(0)
})

export const weighted = ({ starts, targets, weights }: Neighbours, factor: number): Neighbours => ({
  starts,
  targets,
  weights: weights.map(weight => weight * factor)
})

/** Moves the `count` items with the highest values to the front (quickselect). Returns how many there are. Ties go to the lower item. */
export const selectBest = (items: Uint32Array, size: number, values: Float64Array, count: number) => {
  if (size <= count) return size
  const better = (a: number, b: number) => {
    const one = values[a] as number
    const other = values[b] as number
    return one > other || (one === other && a < b)
  }
  let low = 0
  let high = size - 1
  while (low < high) {
    const pivot = items[(low + high) >> 1] as number
    let left = low
    let right = high
    while (left <= right) {
      while (better(items[left] as number, pivot)) left++
      while (better(pivot, items[right] as number)) right--
      if (left > right) break
      const moved = items[left] as number
      items[left++] = items[right] as number
      items[right--] = moved
    }
    if (count - 1 <= right) high = right
    else if (count - 1 >= left) low = left
    else break
  }
  return count
}
