import { CoViews } from './co-views.js'
import { type Neighbours, Rows, transposed } from './neighbours.js'
import { selectBest } from './selection.js'
import { type TrainingSet, userWeights, viewsOf } from './training-set.js'

/**
 * A walk from an item to one of its viewers and on to another item that this one viewed.
 * `users`, `targets` and `sources` say how much those that have many views count for less.
 */
export interface WalkShape {
  users: number
  targets: number
  sources: number
  /** Of whom the best `keep` are kept: the neighbours of each source, or of each target. */
  per: 'source' | 'target'
  keep: number
}

/** What all walks from each item weigh together, before it is lessened for sources. */
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

/** With `within`, to those items alone, and as many kept as is their share. */
export const walk = (set: TrainingSet, shape: WalkShape, within?: Uint8Array, onItem?: (done: number) => void): Neighbours => {
  const { itemCount } = set
  const weights = userWeights(set, shape.users)
  const toward = viewsOf(set).map(views => (views === 0 ? 0 : views ** -shape.targets))
  const totals = totalsOf(set, weights, toward)
  const from = totals.map(total => (total > 0 ? total ** -shape.sources : 0))

  const perSource = shape.per === 'source'
  const keep = within && perSource ? Math.ceil((shape.keep * within.reduce((sum, one) => sum + one, 0)) / itemCount) : shape.keep
  const lessened = perSource ? toward : from
  const coViews = new CoViews(set, weights)
  const values = new Float64Array(itemCount)
  const rows = new Rows(itemCount)

  for (let item = 0; item < itemCount; item++) {
    if (perSource || !within || within[item] === 1) {
      coViews.of(item)
      const { items, counts } = coViews
      let { size } = coViews
      if (perSource && within) size = moveToFront(items, size, within)
      for (let at = 0; at < size; at++) {
        const other = items[at] as number
        values[other] = (counts[other] as number) * (lessened[other] as number)
      }
      const best = selectBest(items, size, values, keep)
      const own = (perSource ? from : toward)[item] as number
      for (let at = 0; at < best; at++) {
        const other = items[at] as number
        rows.add(other, (values[other] as number) * own)
      }
    }
    rows.close()
    onItem?.(item + 1)
  }
  // Twice is the same with each row in order.
  return evenedOut(set, totals, from, perSource ? transposed(transposed(rows.end())) : transposed(rows.end()))
}

/** All walks from a view weigh 1 on the average, so that a share of them means the same whatever the shape. */
const evenedOut = (set: TrainingSet, totals: Float64Array, from: Float64Array, rows: Neighbours): Neighbours => {
  const sum = viewsOf(set).reduce((sum, views, item) => sum + views * (totals[item] as number) * (from[item] as number), 0)
  const scale = sum > 0 ? set.items.length / sum : 1
  return { ...rows, weights: rows.weights.map(weight => weight * scale) }
}

/** Those within come first, and nothing is lost of the others: they are still to be cleared. */
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
