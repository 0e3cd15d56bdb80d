import { type Interactions, startsOf, userCountOf } from './interactions.js'

/** Interactions from both sides: the items of each user and the viewers of each item. */
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
  const userCount = userCountOf(data)
  const viewerStarts = startsOf(items, itemCount)
  const ends = viewerStarts.slice()
  const viewers = new Uint32Array(items.length)
  for (let user = 0; user < userCount; user++) {
    const end = starts[user + 1] as number
    for (let at = starts[user] as number; at < end; at++) {
      const item = items[at] as number
      const to = ends[item] as number
      viewers[to] = user
      ends[item] = to + 1
    }
  }
  return { itemCount, userCount, starts, items, viewerStarts, viewers }
}

/** How many users viewed each item. */
export const viewsOf = ({ itemCount, viewerStarts }: TrainingSet) => {
  const views = new Float64Array(itemCount)
  for (let item = 0; item < itemCount; item++) views[item] = (viewerStarts[item + 1] as number) - (viewerStarts[item] as number)
  return views
}

/** What a user's view counts: less, by the power, the more that user viewed. */
export const userWeights = ({ userCount, starts }: TrainingSet, power: number) => {
  const weights = new Float64Array(userCount)
  for (let user = 0; user < userCount; user++) {
    const views = (starts[user + 1] as number) - (starts[user] as number)
    weights[user] = views === 0 ? 0 : views ** -power
  }
  return weights
}
