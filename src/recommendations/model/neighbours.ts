import { Growing } from './growing.js'
import { startsOf } from './interactions.js'

/** For each item (a row) the items that it speaks for, in the order of their numbers, and how much. */
export interface Neighbours {
  /** Where each row begins, and the end of the last. */
  starts: Uint32Array
  targets: Uint32Array
  weights: Float32Array
}

/** Makes rows one after the other. */
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

  /** The rows as they were added, whatever the order within one. */
  end(): Neighbours {
    return { starts: this.starts, targets: this.targets.all, weights: this.weights.all }
  }
}

/** Rows to columns. Those come out in the order of their numbers. */
export const transposed = ({ starts, targets, weights }: Neighbours): Neighbours => {
  const count = starts.length - 1
  const columns = startsOf(targets, count)
  const ends = columns.slice()
  const sources = new Uint32Array(targets.length)
  const moved = new Float32Array(targets.length)
  for (let row = 0; row < count; row++) {
    const end = starts[row + 1] as number
    for (let at = starts[row] as number; at < end; at++) {
      const column = targets[at] as number
      const to = ends[column] as number
      sources[to] = row
      moved[to] = weights[at] as number
      ends[column] = to + 1
    }
  }
  return { starts: columns, targets: sources, weights: moved }
}

/** Two models on the neighbours of either, whose sum is one model for each share of the second. */
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
