import { CoViews, gramOf } from './co-views.js'
import { type TrainingSet, viewCounts } from './interactions.js'
import { type Neighbours, Rows, selectBest } from './neighbours.js'
import type { Equations } from './regression.js'

/** An item with few views holds too little information for more neighbours per view. */
export const neighboursPerView = 10

/** A ridge regression of each item on the `keep` most similar items, regardless of order: EASE within a neighbourhood. */
export const ridgeEquations = (set: TrainingSet, keep: number): Equations => ({ near: nearest(set, keep), gram: gramOf(set) })

/** For each item, the items most similar by cosine, and its co-views with them. */
const nearest = (set: TrainingSet, keep: number): Neighbours => {
  const { itemCount } = set
  const views = viewCounts(set)
  const lengths = views.map(count => count ** -0.5)
  const coViews = new CoViews(set)
  const { items, counts } = coViews
  const similarity = new Float64Array(itemCount)
  const rows = new Rows(itemCount)
  for (let item = 0; item < itemCount; item++) {
    coViews.count(item)
    for (let at = 0; at < coViews.size; at++) {
      const other = items[at] as number
      similarity[other] = (counts[other] as number) * (lengths[other] as number)
    }
    const count = selectBest(items, coViews.size, similarity, Math.min(keep, (views[item] as number) * neighboursPerView))
    for (let at = 0; at < count; at++) {
      const other = items[at] as number
      rows.add(other, counts[other] as number)
    }
    rows.close()
  }
  return rows.sorted()
}
