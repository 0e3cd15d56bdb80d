import { CoViews } from './co-views.js'
import type { WalkShape } from './hyperparameters.js'
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

/** With `within`, only walks to these items, and with a proportionally smaller `keep`. */
export const walk = (set: TrainingSet, shape: WalkShape, within?: Uint8Array, onItem?: (done: number) => void): Neighbours => {
  const { itemCount } = set
  const weights = userWeights(set, shape.users)
  const targetPenalties = viewCounts(set).map(views => (views === 0 ? 0 : views ** -shape.targets))
  const totals = totalsOf(set, weights, targetPenalties)
  const sourcePenalties = totals.map(total => (total > 0 ? total ** -shape.sources : 0))

  const perSource = shape.per === 'source'
  const keep = within && perSource ? Math.ceil((shape.keep * within.reduce((sum, one) => sum + one, 0)) / itemCount) : shape.keep
  const [ownPenalties, penalties] = perSource ? [sourcePenalties, targetPenalties] : [targetPenalties, sourcePenalties]
  const coViews = new CoViews(set, weights)
  const { items, counts } = coViews
  const values = new Float64Array(itemCount)
  const rows = new Rows(itemCount)

  const addBest = (item: number) => {
    coViews.count(item)
    const size = perSource && within ? moveToFront(items, coViews.size, within) : coViews.size
    for (let at = 0; at < size; at++) {
      const other = items[at] as number
      values[other] = (counts[other] as number) * (penalties[other] as number)
    }
    const best = selectBest(items, size, values, keep)
    const own = ownPenalties[item] as number
    for (let at = 0; at < best; at++) {
      const other = items[at] as number
      rows.add(other, (values[other] as number) * own)
    }
  }

  for (let item = 0; item < itemCount; item++) {
    if (perSource || !within || within[item] === 1) addBest(item)
    rows.close()
    onItem?.(item + 1)
  }
  return normalized(set, totals, sourcePenalties, perSource ? rows.sorted() : rows.reversed())
}

/** Scales the walks to a total of 1 per view on average, so that a share of them means the same for every shape. */
const normalized = (set: TrainingSet, totals: Float64Array, penalties: Float64Array, rows: Neighbours): Neighbours => {
  const sum = viewCounts(set).reduce((sum, views, item) => sum + views * (totals[item] as number) * (penalties[item] as number), 0)
  return weighted(rows, sum > 0 ? set.items.length / sum : 1)
}

/** Swaps rather than overwrites, because CoViews needs all items to clear its counts. */
const moveToFront = (items: Uint32Array, size: number, within: Uint8Array) => {
  let front = 0
  for (let at = 0; at < size; at++) {
    const item = items[at] as number
    if (within[item] !== 1) continue
    items[at] = items[front] as number
    items[front++] = item
  }
  return front
}
