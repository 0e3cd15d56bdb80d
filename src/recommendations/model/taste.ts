import { CoViews, gramOf } from './co-views.js'
import type { Hyperparameters, RidgeShape } from './hyperparameters.js'
import { type TrainingSet, userWeights } from './interactions.js'
import { mixed } from './links.js'
import { balanced, type Neighbours, Rows, selectBest } from './neighbours.js'
import { type Equations, solved } from './regression.js'
import { walk } from './walk.js'

type TasteShape = Pick<Hyperparameters, 'ridge' | 'walk' | 'share'>

/** What viewers of an item like, in whichever order they viewed it: the ridge regression, by its equations, and the walk together. */
export const taste = (
  set: TrainingSet,
  { ridge, walk: walkShape, share }: TasteShape,
  equations: Equations,
  onItem?: (done: number) => void
) => {
  const walked = walk(set, walkShape, undefined, onItem)
  const regressed = solved(equations, ridge, done => onItem?.(set.itemCount + 2 * done))
  return balanced(set, mixed(regressed, walked, share))
}

/** An item with few views holds too little information for more neighbours per view. */
export const neighboursPerView = 10

/** With `within`, only for these items. */
export const ridgeEquations = (set: TrainingSet, { keep, users }: Pick<RidgeShape, 'keep' | 'users'>, within?: Uint8Array): Equations => {
  const weights = normalized(set, userWeights(set, users))
  const diagonal = diagonalOf(set, weights)
  return {
    near: nearest(set, weights, diagonal, keep, within),
    gram: gramOf(set, weights),
    diagonal,
    mean: set.items.length / set.itemCount
  }
}

/** For each item, the items most similar by cosine, and its co-views with them. */
const nearest = (set: TrainingSet, weights: Float64Array, diagonal: Float64Array, keep: number, within?: Uint8Array): Neighbours => {
  const { itemCount, viewerStarts } = set
  const lengths = diagonal.map(own => own ** -0.5)
  const coViews = new CoViews(set, weights)
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
  return rows.sorted()
}

/** Scales the weights to 1 per view on average, so that lambda means the same whatever the power `users`. */
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
