import { solve } from './cholesky.js'
import { CoViews } from './co-views.js'
import { type Gram, gramOf } from './gram.js'
import { type Neighbours, Rows, reversed, sorted } from './neighbours.js'
import { selectBest } from './selection.js'
import { type TrainingSet, userWeights } from './training-set.js'

/** A ridge regression of each item on the items most similar to it: EASE within a neighbourhood. */
export interface RidgeShape {
  /** How many items each item is regressed on. */
  keep: number
  /** The power by which users with many views count less. */
  users: number
  lambda: number
  /** The power by which lambda grows with the views of an item. */
  growth: number
}

/** An item with few views holds too little information for more neighbours per view. */
const neighboursPerView = 10

/** What does not depend on lambda, and is computed once for all of them: the neighbourhoods and the co-views. */
export class Regressions {
  private readonly weights: Float64Array
  /** The weighted views of each item. */
  private readonly diagonal: Float64Array
  private readonly gram: Gram
  /** For each item, the items most similar by cosine, and its co-views with them. */
  private readonly near: Neighbours

  /** With `within`, only for these items. */
  constructor(
    private readonly set: TrainingSet,
    { keep, users }: Pick<RidgeShape, 'keep' | 'users'>,
    within?: Uint8Array
  ) {
    this.weights = normalized(set, userWeights(set, users))
    this.diagonal = diagonalOf(set, this.weights)
    this.gram = gramOf(set, this.weights)
    this.near = this.nearest(keep, within)
  }

  private nearest(keep: number, within?: Uint8Array) {
    const { itemCount, viewerStarts } = this.set
    const lengths = this.diagonal.map(own => own ** -0.5)
    const coViews = new CoViews(this.set, this.weights)
    const similarity = new Float64Array(itemCount)
    const rows = new Rows(itemCount)
    for (let item = 0; item < itemCount; item++) {
      if (!within || within[item] === 1) {
        coViews.count(item)
        const { items, counts, size } = coViews
        for (let at = 0; at < size; at++) {
          const other = items[at] as number
          similarity[other] = (counts[other] as number) * (lengths[other] as number)
        }
        const views = (viewerStarts[item + 1] as number) - (viewerStarts[item] as number)
        const count = selectBest(items, size, similarity, Math.min(keep, views * neighboursPerView))
        for (let at = 0; at < count; at++) {
          const other = items[at] as number
          rows.add(other, counts[other] as number)
        }
      }
      rows.close()
    }
    return sorted(rows.end())
  }

  solve({ lambda, growth }: Pick<RidgeShape, 'lambda' | 'growth'>, onItem?: (done: number) => void): Neighbours {
    const { diagonal, gram, near, set } = this
    const { itemCount } = set
    const mean = set.items.length / itemCount
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
}

/** Scales the weights to 1 per view on average, so that lambda means the same for all of them. */
const normalized = ({ userCount, starts, items }: TrainingSet, weights: Float64Array) => {
  let sum = 0
  for (let user = 0; user < userCount; user++) sum += (weights[user] as number) * ((starts[user + 1] as number) - (starts[user] as number))
  return weights.map(weight => (weight * items.length) / sum)
}

const diagonalOf = ({ itemCount, viewerStarts, viewers }: TrainingSet, weights: Float64Array) => {
  const diagonal = new Float64Array(itemCount)
  for (let item = 0; item < itemCount; item++) {
    let sum = 0
    for (let at = viewerStarts[item] as number; at < (viewerStarts[item + 1] as number); at++)
      sum += weights[viewers[at] as number] as number
    diagonal[item] = sum
  }
  return diagonal
}

const widestOf = ({ starts }: Neighbours) => {
  let widest = 0
  for (let row = 1; row < starts.length; row++) widest = Math.max(widest, (starts[row] as number) - (starts[row - 1] as number))
  return widest + (widest % 2)
}
