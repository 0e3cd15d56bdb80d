import { byPopularity, firstOf, type Interactions, userCountOf } from './interactions.js'
import { randomFrom } from './sampling.js'

/** Interactions split into a training part and a held-out part, which a model has to predict. */
export interface HoldOut {
  training: Interactions
  /** Where the held-out items of each user begin in `held`. */
  heldStarts: Uint32Array
  held: Uint32Array
}

/** `random` tests what a user watches at all, `newest` what the user watches next: the last item of each history. */
export type HoldOutKind = 'random' | 'newest'

const share = 0.2

/** How many items of a history are held out: a fifth on average, never all. */
const countOf = (size: number, random: () => number) => Math.min(Math.floor(size * share + random()), size - 1)

export const holdOut = (data: Interactions, kind: HoldOutKind, seed: number): HoldOut => {
  const { itemCount, starts, items, weights } = data
  const random = randomFrom(seed)
  const userCount = userCountOf(data)
  const isHeld = new Uint8Array(items.length)
  for (let user = 0; user < userCount; user++) {
    const from = starts[user] as number
    const size = (starts[user + 1] as number) - from
    if (size < 2) continue
    let left = kind === 'newest' ? 1 : countOf(size, random)
    // Selection sampling: holds out exactly this many, each item with the same probability.
    for (let at = size - 1; left > 0; at--) {
      if (kind === 'random' && random() * (at + 1) >= left) continue
      isHeld[from + at] = 1
      left--
    }
  }

  const heldCount = isHeld.reduce((sum, one) => sum + one, 0)
  const heldStarts = new Uint32Array(userCount + 1)
  const held = new Uint32Array(heldCount)
  const keptStarts = new Uint32Array(userCount + 1)
  const keptItems = new Uint32Array(items.length - heldCount)
  const keptWeights = weights && new Float32Array(items.length - heldCount)
  let kept = 0
  let out = 0
  for (let user = 0; user < userCount; user++) {
    const end = starts[user + 1] as number
    for (let at = starts[user] as number; at < end; at++) {
      if (isHeld[at] === 1) held[out++] = items[at] as number
      else {
        if (keptWeights) keptWeights[kept] = weights[at] as number
        keptItems[kept++] = items[at] as number
      }
    }
    heldStarts[user + 1] = out
    keptStarts[user + 1] = kept
  }
  return { training: { itemCount, starts: keptStarts, items: keptItems, ...(keptWeights && { weights: keptWeights }) }, heldStarts, held }
}

/** The hold-out reduced to some items. */
export const heldOutWithin = ({ training, heldStarts, held }: HoldOut, within: Uint8Array): HoldOut => {
  const starts = new Uint32Array(heldStarts.length)
  const left = held.filter(item => within[item] === 1)
  let size = 0
  for (let user = 1; user < starts.length; user++) {
    for (let at = heldStarts[user - 1] as number; at < (heldStarts[user] as number); at++) size += within[held[at] as number] as number
    starts[user] = size
  }
  return { training, heldStarts: starts, held: left }
}

/** The hold-out reduced to the users with the first `count` held-out items. */
export const firstHeldOut = ({ training, heldStarts, held }: HoldOut, count: number): HoldOut => ({
  training,
  heldStarts: heldStarts.map(start => Math.min(start, count)),
  held: held.subarray(0, count)
})

/** Means over the users with held-out items. */
export interface Quality {
  ndcg: number
  recall: number
  /** The share of the items that are recommended to at least one user. */
  coverage: number
  /** The share of the users for whom at least one held-out item is recommended. */
  hits: number
  /** The share of the recommendations that are among the hundred most popular items. */
  popular: number
}

/** Worse than any measured quality. */
export const unmeasured: Quality = { ndcg: -1, recall: 0, coverage: 0, hits: 0, popular: 0 }

/** Returns the recommendations of several models to a user of the hold-out, the best first. */
export type Recommend = (user: number, isSeen: (item: number) => boolean) => ArrayLike<number>[]

const discount = (place: number) => 1 / Math.log2(place + 2)

class Tally {
  private users = 0
  private ndcg = 0
  private recall = 0
  private hits = 0
  private listed = 0
  private popular = 0
  private readonly shown: Uint8Array

  constructor(
    itemCount: number,
    private readonly isPopular: Uint8Array
  ) {
    this.shown = new Uint8Array(itemCount)
  }

  add(list: ArrayLike<number>, count: number, wanted: number, isWanted: (item: number) => boolean) {
    let found = 0
    let gain = 0
    let ideal = 0
    for (let place = 0; place < Math.min(list.length, count); place++) {
      const item = list[place] as number
      this.shown[item] = 1
      this.listed++
      this.popular += this.isPopular[item] as number
      if (!isWanted(item)) continue
      found++
      gain += discount(place)
    }
    for (let place = 0; place < Math.min(wanted, count); place++) ideal += discount(place)
    this.users++
    if (found > 0) this.hits++
    this.ndcg += gain / ideal
    this.recall += found / wanted
  }

  mean(itemCount: number): Quality {
    const { users, ndcg, recall, hits, shown, popular, listed } = this
    const of = Math.max(users, 1)
    return {
      ndcg: ndcg / of,
      recall: recall / of,
      coverage: shown.reduce((sum, one) => sum + one, 0) / Math.max(itemCount, 1),
      hits: hits / of,
      popular: popular / Math.max(listed, 1)
    }
  }
}

/** How well the first `count` recommendations of several models predict the held-out items. `itemCount` items could be recommended. */
export const qualitiesOf = (out: HoldOut, count: number, itemCount: number, models: number, recommend: Recommend): Quality[] => {
  const { training, heldStarts, held } = out
  const { starts, items } = training
  const isPopular = new Uint8Array(training.itemCount)
  for (const item of byPopularity(training).subarray(0, 100)) isPopular[item] = 1
  const tallies = Array.from({ length: models }, () => new Tally(training.itemCount, isPopular))
  const seenBy = new Uint32Array(training.itemCount)
  const wantedBy = new Uint32Array(training.itemCount)
  for (let user = 0; user < userCountOf(training); user++) {
    const firstHeld = heldStarts[user] as number
    const endOfHeld = heldStarts[user + 1] as number
    if (firstHeld === endOfHeld) continue
    const mark = user + 1
    for (let at = firstHeld; at < endOfHeld; at++) wantedBy[held[at] as number] = mark
    for (let at = starts[user] as number; at < (starts[user + 1] as number); at++) seenBy[items[at] as number] = mark
    recommend(user, item => seenBy[item] === mark).forEach((list, model) => {
      tallies[model]?.add(list, count, endOfHeld - firstHeld, item => wantedBy[item] === mark)
    })
  }
  return tallies.map(tally => tally.mean(itemCount))
}

/** The quality of recommending the same list to everybody. */
export const popularQuality = (out: HoldOut, order: Uint32Array, count: number, itemCount: number) =>
  qualitiesOf(out, count, itemCount, 1, (_user, isSeen) => [firstOf(order, count, item => !isSeen(item))])[0] as Quality
