import { aged, firstOf, type Interactions, type Model, Scorer } from '../../src/recommendations/model/index.js'

type Listing = Pick<Model, 'neighbours' | 'popular'> & { settings: Pick<Model['settings'], 'halfLife'> }

/** Makes the list of a user: what the model recommends, then what is popular. */
export const listsFrom = ({ neighbours, popular, settings }: Listing, { starts, items, itemCount }: Interactions, count: number) => {
  const scorer = new Scorer(neighbours)
  // By item, the last user who has it: in the history or in the list.
  const taken = new Uint32Array(itemCount)
  return (user: number) => {
    const history = items.subarray(starts[user], starts[user + 1])
    const isFree = (item: number) => taken[item] !== user + 1
    for (const item of history) taken[item] = user + 1
    const list = scorer.best({ items: history, weights: aged(history.length, settings.halfLife) }, count, isFree).map(({ item }) => item)
    for (const item of list) taken[item] = user + 1
    return list.length === count ? list : [...list, ...firstOf(popular, count - list.length, isFree)]
  }
}
