import { type TrainingSet, viewCounts } from './interactions.js'
import { type Neighbours, placeOf, Rows, selectBest } from './neighbours.js'
import type { Equations, Gram } from './regression.js'
import { Succession } from './succession.js'
import { neighboursPerView } from './taste.js'

/** How many pairs are kept in memory, at 8 bytes each. */
const maxPairs = 16e6

/**
 * Predicts each view from the views before it, each of which counts `decay` times as much as the next one. docs/recommendations.md
 * derives the matrices. `near` has the largest values of A'Y: how much was viewed before each item. `gram` has A'A times (1 - decay²): the
 * views of each item on the diagonal and, elsewhere, `decay` times what was viewed before or after it.
 */
export const nextEquations = (set: TrainingSet, { decay, keep }: { decay: number; keep: number }): Equations => {
  const { itemCount } = set
  const diagonal = viewCounts(set)
  const succession = new Succession(set, distance => decay ** (distance - 1))
  const { items, before, after } = succession
  const room = Math.max(keep, Math.floor(maxPairs / itemCount))
  const values = new Float64Array(itemCount)
  const near = new Rows(itemCount)
  const pairs = new Rows(itemCount)

  const closeNear = (item: number) => {
    const { size } = succession
    for (let at = 0; at < size; at++) {
      const other = items[at] as number
      values[other] = (before[other] as number) / Math.sqrt(diagonal[other] as number)
    }
    const count = selectBest(items, size, values, Math.min(keep, (diagonal[item] as number) * neighboursPerView))
    for (let at = 0; at < count; at++) {
      const other = items[at] as number
      if (before[other] !== 0) near.add(other, before[other] as number)
    }
    near.close()
  }

  const closePairs = (item: number) => {
    const { size } = succession
    for (let at = 0; at < size; at++) {
      const other = items[at] as number
      values[other] = other < item ? ((before[other] as number) + (after[other] as number)) / Math.sqrt(diagonal[other] as number) : 0
    }
    const count = selectBest(items, size, values, room)
    for (let at = 0; at < count; at++) {
      const other = items[at] as number
      if (other < item) pairs.add(other, decay * ((before[other] as number) + (after[other] as number)))
    }
    pairs.close()
  }

  for (let item = 0; item < itemCount; item++) {
    succession.count(item)
    closeNear(item)
    closePairs(item)
  }
  return { near: near.sorted(), gram: gramOf(pairs.sorted(), diagonal) }
}

/** `pairs` has the lower half of the matrix, row by row. */
const gramOf =
  ({ starts, targets, weights }: Neighbours, diagonal: Float64Array): Gram =>
  (items, matrix, size) => {
    for (let i = 0; i < items.length; i++) {
      const item = items[i] as number
      const end = starts[item + 1] as number
      let place = starts[item] as number
      for (let j = 0; j < i; j++) {
        place = placeOf(targets, place, end, items[j] as number)
        matrix[i * size + j] = place < end && targets[place] === items[j] ? (weights[place] as number) : 0
      }
      matrix[i * size + i] = diagonal[item] as number
    }
  }

/** For the freshness of items, a view counts this many times as much as the next one of the same viewer. */
const ageing = 0.6
/** How many average views are added to those of each item, so that few views prove little. */
const usualViews = 10

/** By item: how many more of its viewers than average have watched it last. */
export const freshnessOf = ({ itemCount, userCount, starts, items }: TrainingSet, views: Float64Array) => {
  const newest = new Float64Array(itemCount)
  let sum = 0
  for (let user = 0; user < userCount; user++) {
    let weight = 1
    for (let at = (starts[user + 1] as number) - 1; at >= (starts[user] as number); at--) {
      const item = items[at] as number
      newest[item] = (newest[item] as number) + weight
      sum += weight
      weight *= ageing
    }
  }
  const usual = sum / Math.max(items.length, 1)
  return newest.map((count, item) => (count + usualViews * usual) / ((views[item] as number) + usualViews) / (usual || 1))
}
