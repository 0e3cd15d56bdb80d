import { Best } from './best.js'
import { startsOf } from './interactions.js'
import { type Neighbours, Rows, sorted } from './neighbours.js'
import { transposed } from './transpose.js'

/** What is known of each item apart from its views: its features, numbered from 0, each once. */
export interface Features {
  starts: Uint32Array
  values: Uint32Array
}

/** How rare each feature is. What most items have says nothing about any of them. */
const raritiesOf = ({ starts, values }: Features, featureCount: number) => {
  const bounds = startsOf(values, featureCount)
  const items = starts.length - 1
  return new Float64Array(featureCount).map((_, feature) => {
    const share = ((bounds[feature + 1] as number) - (bounds[feature] as number)) / items
    return share > 0.5 ? 0 : Math.log(1 / share)
  })
}

/**
 * The accepted items that are most like each of the given ones: the cosine of their features, in which rare ones count more.
 * Items that are not given have no neighbours.
 */
export const likenesses = (features: Features, given: Iterable<number>, accepts: (item: number) => boolean, keep: number): Neighbours => {
  const { starts, values } = features
  const itemCount = starts.length - 1
  const featureCount = values.reduce((most, value) => Math.max(most, value + 1), 0)
  const rarities = raritiesOf(features, featureCount)
  const having = transposed({ starts, targets: values, weights: undefined }, featureCount)
  const lengths = new Float64Array(itemCount)
  for (let item = 0; item < itemCount; item++) {
    const own = values.subarray(starts[item], starts[item + 1])
    lengths[item] = Math.sqrt(own.reduce((sum, feature) => sum + (rarities[feature] as number) ** 2, 0))
  }

  const isGiven = new Set(given)
  const products = new Float64Array(itemCount)
  const rows = new Rows(itemCount)
  for (let item = 0; item < itemCount; item++) {
    if (isGiven.has(item)) {
      const found: number[] = []
      for (const feature of values.subarray(starts[item], starts[item + 1])) {
        const gain = (rarities[feature] as number) ** 2
        if (gain === 0) continue
        for (const other of having.targets.subarray(having.starts[feature], having.starts[feature + 1])) {
          if (products[other] === 0) found.push(other)
          products[other] = (products[other] as number) + gain
        }
      }
      const best = new Best(keep)
      for (const other of found) {
        const likeness = (products[other] as number) / ((lengths[item] as number) * (lengths[other] as number))
        products[other] = 0
        if (other !== item && likeness >= best.least && accepts(other)) best.offer(other, likeness)
      }
      for (const { item: other, score } of best.taken) rows.add(other, score)
    }
    rows.close()
  }
  return sorted(rows.end())
}
