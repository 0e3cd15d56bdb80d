import { byPopularity, type Events, firstOf, type Interactions, interactionsOf, pastOf, userCountOf, viewCounts } from './interactions.js'
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

/** By place in the histories: whether the item is held out. */
const heldOf = (data: Interactions, kind: HoldOutKind, seed: number) => {
  const { starts, items } = data
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
  return isHeld
}

export const holdOut = (data: Interactions, kind: HoldOutKind, seed: number): HoldOut => {
  const { itemCount, starts, items, weights } = data
  const userCount = userCountOf(data)
  const isHeld = heldOf(data, kind, seed)
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

/** Events of all users, the oldest first. Times are in milliseconds. */
export interface TimedEvents extends Events {
  times: Float64Array
}

export interface TimeSplit extends HoldOut {
  moment: number
  /** What was watched in the week before the moment. */
  lastWeek: Interactions
}

const newestTenth = 0.1
const week = 7 * 24 * 60 * 60 * 1000

/**
 * Splits at the moment after which about a tenth of the events are, so that nothing of the future is trained on. Held out is what the
 * users of the training part watch after the moment and have not watched before.
 */
export const splitByTime = ({ users, items, times }: TimedEvents, userCount: number, itemCount: number): TimeSplit => {
  const firstSince = (since: number) => times.findIndex(time => time >= since)
  const within = (from: number, to?: number) =>
    interactionsOf({ users: users.subarray(from, to), items: items.subarray(from, to) }, userCount, itemCount)
  const moment = times[Math.floor(times.length * (1 - newestTenth))] as number
  const cut = firstSince(moment)
  const training = within(0, cut)
  const later = within(cut)
  const seenBy = new Uint32Array(itemCount)
  const heldStarts = new Uint32Array(userCount + 1)
  const held: number[] = []
  for (let user = 0; user < userCount; user++) {
    const past = pastOf(training, user).items
    for (let at = 0; at < past.length; at++) seenBy[past[at] as number] = user + 1
    for (let at = later.starts[user] as number; past.length > 0 && at < (later.starts[user + 1] as number); at++) {
      const item = later.items[at] as number
      if (seenBy[item] !== user + 1) held.push(item)
    }
    heldStarts[user + 1] = held.length
  }
  return { training, heldStarts, held: Uint32Array.from(held), moment, lastWeek: within(firstSince(moment - week), cut) }
}

/** How many users have anything. `starts` is where that of each user begins. */
export const countWithAny = (starts: Uint32Array) => starts.filter((start, at) => at > 0 && start > (starts[at - 1] as number)).length

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
  /** How little known the recommendations are: the mean of -log2 of the share of the users who have watched the item. */
  novelty: number
}

/** How well a model predicts what was hidden while it was made, beside recommending by popularity alone. */
export interface Measured {
  quality: Quality
  baseline: Quality
}

/** Worse than any measured quality. */
export const unmeasured: Quality = { ndcg: -1, recall: 0, coverage: 0, hits: 0, popular: 0, novelty: 0 }

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
  private novelty = 0
  private readonly shown: Uint8Array

  constructor(
    itemCount: number,
    private readonly isPopular: Uint8Array,
    private readonly noveltyOf: Float64Array
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
      this.novelty += this.noveltyOf[item] as number
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
    const { users, ndcg, recall, hits, shown, popular, novelty, listed } = this
    const of = Math.max(users, 1)
    return {
      ndcg: ndcg / of,
      recall: recall / of,
      coverage: shown.reduce((sum, one) => sum + one, 0) / Math.max(itemCount, 1),
      hits: hits / of,
      popular: popular / Math.max(listed, 1),
      novelty: novelty / Math.max(listed, 1)
    }
  }
}

/** How well the first `count` recommendations of several models predict the held-out items. `itemCount` items could be recommended. */
export const qualitiesOf = (out: HoldOut, count: number, itemCount: number, models: number, recommend: Recommend): Quality[] => {
  const { training, heldStarts, held } = out
  const { starts, items } = training
  const isPopular = new Uint8Array(training.itemCount)
  for (const item of byPopularity(training).subarray(0, 100)) isPopular[item] = 1
  const audience = countWithAny(starts)
  // An item that nobody has watched counts as if one user had.
  const noveltyOf = viewCounts(training).map(views => Math.log2(audience / Math.max(views, 1)))
  const tallies = Array.from({ length: models }, () => new Tally(training.itemCount, isPopular, noveltyOf))
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
