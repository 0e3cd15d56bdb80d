import { byPopularity, type Events, type Interactions, interactionsOf, type Past, pastOf, userCountOf, viewCounts } from './interactions.js'
import { type RecentOf, ViewsByDay } from './recent.js'

/** Interactions split into a training part and a held-out part, which a model has to predict. */
export interface HoldOut {
  training: Interactions
  /** Where the held-out items of each user begin in `held`. */
  heldStarts: Uint32Array
  held: Uint32Array
  /** How popular items were when a user watched the held-out ones. By default, as popular as at the end of the training data. */
  recentFor?: ((user: number) => RecentOf) | undefined
}

/** Holds out the last item of each history with more than one. `all` is used to count how popular items were. */
export const holdOut = (data: Interactions, all = data): HoldOut => {
  const { itemCount, starts, items, weights, days } = data
  const lasts = new Set<number>()
  const heldStarts = new Uint32Array(starts.length)
  const keptStarts = new Uint32Array(starts.length)
  for (let user = 1; user < starts.length; user++) {
    const end = starts[user] as number
    if (end - (starts[user - 1] as number) > 1) lasts.add(end - 1)
    heldStarts[user] = lasts.size
    keptStarts[user] = end - lasts.size
  }
  const isKept = (_: number, place: number) => !lasts.has(place)
  return {
    training: {
      itemCount,
      starts: keptStarts,
      items: items.filter(isKept),
      ...(weights && { weights: weights.filter(isKept) }),
      ...(days && { days: days.filter(isKept) })
    },
    heldStarts,
    held: items.filter((_, place) => lasts.has(place)),
    recentFor: days && recentBeforeLast(data, days, all)
  }
}

/** The held-out views of others count as soon as they happened, as they would in the service. */
const recentBeforeLast = ({ starts }: Interactions, days: Uint16Array, all: Interactions) => {
  const views = new ViewsByDay(all)
  return (user: number) => views.before(days[(starts[user + 1] as number) - 1] as number)
}

/** What a user of the training part had watched before the held-out items. */
export const pastIn = ({ training, recentFor }: HoldOut, user: number): Past => ({ ...pastOf(training, user), recentOf: recentFor?.(user) })

/** Events of all users, oldest first. */
export interface TimedEvents extends Events {
  times: Float64Array
}

export interface TimeSplit extends HoldOut {
  moment: number
  /** What was watched in the week before the split. */
  lastWeek: Interactions
}

const newestTenth = 0.1
const week = 7 * 24 * 60 * 60 * 1000

/**
 * Splits at a moment, after which about a tenth of the events happened, so that the training uses nothing from the future. Holds out what
 * users of the training part watched for the first time after the moment.
 */
export const splitByTime = ({ users, items, times }: TimedEvents, userCount: number, itemCount: number): TimeSplit => {
  const firstSince = (since: number) => times.findIndex(time => time >= since)
  const within = (from: number, to?: number) =>
    interactionsOf(
      { users: users.subarray(from, to), items: items.subarray(from, to), times: times.subarray(from, to) },
      userCount,
      itemCount
    )
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

/** How many users have any items. `starts` is where those of each user begin. */
export const countWithAny = (starts: Uint32Array) => starts.filter((start, at) => at > 0 && start > (starts[at - 1] as number)).length

/** The hold-out reduced to the users with the first `count` held-out items. */
export const firstHeldOut = (out: HoldOut, count: number): HoldOut => ({
  ...out,
  heldStarts: out.heldStarts.map(start => Math.min(start, count)),
  held: out.held.subarray(0, count)
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
  /** How obscure the recommendations are: the mean of -log2 of the share of the users who have watched the item. */
  novelty: number
}

/** How well a model predicts what was held out of its training, compared with recommending by popularity. */
export interface Measured {
  quality: Quality
  baseline: Quality
}

/** Returns the recommendations of several models for a user of the hold-out, best first. */
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
  // An item that nobody has watched counts as watched by one user.
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
