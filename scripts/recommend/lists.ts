import { firstOf, halfLivesOf, historyOf, type Interactions, type Model, Scorer } from '../../src/recommendations/model/index.js'

interface Listing extends Pick<Model, 'links'> {
  /** All items, the most popular first. */
  popular: Uint32Array
  settings: Pick<Model['settings'], 'halfLife' | 'next'>
}

/** Creates the list of a user: recommendations of the model, followed by popular items. */
export const listsFrom = ({ links, popular, settings }: Listing, { starts, items, itemCount }: Interactions, count: number) => {
  const halfLives = halfLivesOf(settings)
  const scorer = new Scorer(links)
  // For each item, the last user who has it in the history or in the list.
  const taken = new Uint32Array(itemCount)
  return (user: number) => {
    const history = items.subarray(starts[user], starts[user + 1])
    const isFree = (item: number) => taken[item] !== user + 1
    for (const item of history) taken[item] = user + 1
    const list = scorer.best(historyOf(history, halfLives), count, isFree).map(({ item }) => item)
    for (const item of list) taken[item] = user + 1
    return list.length === count ? list : [...list, ...firstOf(popular, count - list.length, isFree)]
  }
}
