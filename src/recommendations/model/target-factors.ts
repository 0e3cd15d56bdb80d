import { type TrainingSet, viewsOf } from './training-set.js'

/** By which factors items are recommended more or less often than by the weights of their neighbours alone. */
export interface TargetShape {
  /** The power by which items with many views count less. */
  targets: number
  /** The power by which fresh items count more: those that more viewers than usual have viewed last. */
  fresh: number
}

/** For the freshness of items, a view counts this many times as much as the next one of the same viewer. */
const ageing = 0.6
/** How many usual views are added to those of each item, so that few views prove little. */
const usualViews = 10

const freshnessOf = ({ itemCount, userCount, starts, items }: TrainingSet, views: Float64Array) => {
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

/** By item. */
export const targetFactors = (set: TrainingSet, { targets, fresh }: TargetShape) => {
  const views = viewsOf(set)
  const freshness = freshnessOf(set, views)
  return views.map((count, item) => Math.max(count, 1) ** -targets * ((freshness[item] as number) || 1) ** fresh)
}
