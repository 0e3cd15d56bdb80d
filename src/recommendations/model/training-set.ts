import { type Interactions, userCountOf } from './interactions.js'
import { transposed } from './transpose.js'

/** Interactions in both directions: the items of each user, and the viewers of each item. */
export interface TrainingSet {
  itemCount: number
  userCount: number
  starts: Uint32Array
  items: Uint32Array
  viewerStarts: Uint32Array
  viewers: Uint32Array
}

export const trainingSetOf = (data: Interactions): TrainingSet => {
  const { itemCount, starts, items } = data
  const { starts: viewerStarts, targets: viewers } = transposed({ starts, targets: items, weights: undefined }, itemCount)
  return { itemCount, userCount: userCountOf(data), starts, items, viewerStarts, viewers }
}

/** How many users viewed each item. */
export const viewsOf = ({ itemCount, viewerStarts }: TrainingSet) => {
  const views = new Float64Array(itemCount)
  for (let item = 0; item < itemCount; item++) views[item] = (viewerStarts[item + 1] as number) - (viewerStarts[item] as number)
  return views
}

/** How much each view of a user counts: the more views the user has, the less. */
export const userWeights = ({ userCount, starts }: TrainingSet, power: number) => {
  const weights = new Float64Array(userCount)
  for (let user = 0; user < userCount; user++) {
    const views = (starts[user + 1] as number) - (starts[user] as number)
    weights[user] = views === 0 ? 0 : views ** -power
  }
  return weights
}
