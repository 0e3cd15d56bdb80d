import { solve } from './cholesky.js'
import type { Gram } from './gram.js'
import { type Neighbours, reversed } from './neighbours.js'

/** A regression of each item on its neighbourhood, without the penalty. What does not depend on lambda is computed once for all of them. */
export interface Equations {
  /** For each item, the items that it is regressed on. The weights are the right side of its equations. */
  near: Neighbours
  gram: Gram
  /** The weighted views of each item. */
  diagonal: Float64Array
  /** The views of an item on average. */
  mean: number
}

export interface Penalty {
  lambda: number
  /** The power by which lambda grows with the views of an item. */
  growth: number
}

/** Solves the regression of every item. The row of an item in the result has the items that it helps to predict. */
export const solved = (
  { near, gram, diagonal, mean }: Equations,
  { lambda, growth }: Penalty,
  onItem?: (done: number) => void
): Neighbours => {
  const itemCount = near.starts.length - 1
  const penalties = diagonal.map(own => lambda * (own / mean) ** growth)
  const widest = widestOf(near)
  const matrix = new Float64Array(widest * widest)
  const right = new Float64Array(widest)
  const weights = new Float32Array(near.targets.length)

  for (let item = 0; item < itemCount; item++) {
    const from = near.starts[item] as number
    const to = near.starts[item + 1] as number
    const count = to - from
    const size = count + (count % 2)
    gram(near.targets.subarray(from, to), matrix, size)
    for (let at = 0; at < count; at++) {
      const place = at * size + at
      matrix[place] = (matrix[place] as number) + (penalties[near.targets[from + at] as number] as number)
      right[at] = near.weights[from + at] as number
    }
    if (size > count) {
      matrix.fill(0, count * size, size * size - 1)
      matrix[size * size - 1] = 1
      right[count] = 0
    }
    solve(matrix, size, right)
    for (let at = 0; at < count; at++) weights[from + at] = right[at] as number
    onItem?.(item + 1)
  }
  return reversed({ starts: near.starts, targets: near.targets, weights })
}

const widestOf = ({ starts }: Neighbours) => {
  let widest = 0
  for (let row = 1; row < starts.length; row++) widest = Math.max(widest, (starts[row] as number) - (starts[row - 1] as number))
  return widest + (widest % 2)
}
