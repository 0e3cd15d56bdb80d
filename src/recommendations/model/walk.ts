import { CoViews } from './co-views.js'
import { type TrainingSet, userWeights, viewCounts } from './interactions.js'
import { type Neighbours, Rows, selectBest, weighted } from './neighbours.js'

/** The total weight of all walks from each item, before the penalty of the source. */
const totalsOf = (set: TrainingSet, weights: Float64Array, penalties: Float64Array) => {
  const totals = new Float64Array(set.itemCount)
  for (let user = 0; user < set.userCount; user++) {
    const from = set.starts[user] as number
    const to = set.starts[user + 1] as number
    let sum = 0
    for (let at = from; at < to; at++) sum += penalties[set.items[at] as number] as number
    for (let at = from; at < to; at++) {
      const item = set.items[at] as number
      totals[item] = (totals[item] as number) + (weights[user] as number) * (sum - (penalties[item] as number))
    }
  }
  return totals
}

/** A random walk from an item to a viewer and on to another item. The powers make items and users with many views count less. */
interface WalkShape {
  users: number
  targets: number
  sources: number
  /** Keeps the best neighbours of each source. */
  keep: number
}

export const walk = (set: TrainingSet, shape: WalkShape): Neighbours => {
  const { itemCount } = set
  const weights = userWeights(set, shape.users)
  const penalties = viewCounts(set).map(views => (views === 0 ? 0 : views ** -shape.targets))
  const totals = totalsOf(set, weights, penalties)
  const sourcePenalties = totals.map(total => (total > 0 ? total ** -shape.sources : 0))

  const coViews = new CoViews(set, weights)
  const { items, counts } = coViews
  const values = new Float64Array(itemCount)
  const rows = new Rows(itemCount)
  for (let item = 0; item < itemCount; item++) {
    coViews.count(item)
    for (let at = 0; at < coViews.size; at++) {
      const other = items[at] as number
      values[other] = (counts[other] as number) * (penalties[other] as number)
    }
    const best = selectBest(items, coViews.size, values, shape.keep)
    const own = sourcePenalties[item] as number
    for (let at = 0; at < best; at++) {
      const other = items[at] as number
      rows.add(other, (values[other] as number) * own)
    }
    rows.close()
  }
  return normalized(set, totals, sourcePenalties, rows.sorted())
}

/** Scales the walks to a total of 1 per view on average. */
const normalized = (set: TrainingSet, totals: Float64Array, penalties: Float64Array, rows: Neighbours): Neighbours => {
  const sum = viewCounts(set).reduce((sum, views, item) => sum + views * (totals[item] as number) * (penalties[item] as number), 0)
  return weighted(rows, sum > 0 ? set.items.length / sum : 1)
}
