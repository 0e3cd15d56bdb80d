import type { RecentOf } from './recent.js'
import { Growing, grouped, transposed } from './sparse-matrix.js'

/** What each user watched. Users and items are numbered from 0. */
export interface Interactions {
  itemCount: number
  /** Where the items of each user begin, and where the last user's end. */
  starts: Uint32Array
  /** Per user: oldest first, no duplicates. */
  items: Uint32Array
  /** The interest in each item, from 0 to 1. Without weights, all are 1. */
  weights?: Float32Array
  /** The day on which each item was watched, counted from 1970. Missing if unknown. */
  days?: Uint16Array
}

/** Times are in milliseconds. */
export interface Events {
  users: Uint32Array
  items: Uint32Array
  times?: Float64Array
}

const day = 24 * 60 * 60 * 1000

/** Days take a quarter of the memory of times. A time before 1970, or that is not a number, counts as the first day. */
export const dayOf = (time: number) => Math.max(0, Math.floor(time / day) || 0)

export const userCountOf = ({ starts }: Interactions) => starts.length - 1

/** Groups events by user. The events of each user must be in order; of repeated items, the newest event counts. */
export const interactionsOf = ({ users, items, times }: Events, userCount: number, itemCount: number): Interactions => {
  const { starts: bounds, positions: events } = grouped(users, userCount)
  const lastUser = new Uint32Array(itemCount)
  const starts = new Uint32Array(userCount + 1)
  let kept = events.length
  starts[userCount] = kept
  for (let user = userCount - 1; user >= 0; user--) {
    const first = bounds[user] as number
    for (let at = (bounds[user + 1] as number) - 1; at >= first; at--) {
      const event = events[at] as number
      const item = items[event] as number
      if (lastUser[item] === user + 1) continue
      lastUser[item] = user + 1
      events[--kept] = event
    }
    starts[user] = kept
  }
  for (let user = 0; user <= userCount; user++) starts[user] = (starts[user] as number) - kept
  const order = events.subarray(kept)
  return {
    itemCount,
    starts,
    items: order.map(event => items[event] as number),
    ...(times && { days: Uint16Array.from(order, event => dayOf(times[event] as number)) })
  }
}

/** What a viewer has watched, oldest first, and the interest in each item, from 0 to 1. Without interests, all are 1. */
export interface Past {
  items: ArrayLike<number>
  interests?: ArrayLike<number> | undefined
  /** How popular items were after this past. By default, as popular as in the ranking. */
  recentOf?: RecentOf | undefined
}

export const pastOf = ({ starts, items, weights }: Interactions, user: number): Past => ({
  items: items.subarray(starts[user], starts[user + 1]),
  interests: weights?.subarray(starts[user], starts[user + 1])
})

/** A history by the ids of its items, oldest first. Times are in milliseconds. */
export interface WeightedIds {
  ids: number[]
  weights: number[]
  times: number[]
}

/** Collects histories, and numbers the items in the order in which they appear. */
export class Histories {
  private readonly itemOf = new Map<number, number>()
  private readonly starts = new Growing(new Uint32Array(1024))
  private readonly items = new Growing(new Uint32Array(1024))
  private readonly weights = new Growing(new Float32Array(1024))
  private readonly days = new Growing(new Uint16Array(1024))

  constructor() {
    this.starts.push(0)
  }

  add({ ids, weights, times }: WeightedIds) {
    ids.forEach((id, at) => {
      const item = this.itemOf.get(id) ?? this.itemOf.size
      this.itemOf.set(id, item)
      this.items.push(item)
      this.weights.push(weights[at] as number)
      this.days.push(dayOf(times[at] as number))
    })
    this.starts.push(this.items.size)
  }

  /** The item of each id, the items in ascending order. */
  get known(): ReadonlyMap<number, number> {
    return this.itemOf
  }

  get interactions(): Interactions {
    const { itemOf, starts, items, weights, days } = this
    return { itemCount: itemOf.size, starts: starts.all, items: items.all, weights: weights.all, days: days.all }
  }
}

/** How many users viewed each item. */
export const viewCounts = ({ itemCount, items }: Pick<Interactions, 'itemCount' | 'items'>) => {
  const views = new Float64Array(itemCount)
  for (const item of items) views[item] = (views[item] as number) + 1
  return views
}

/** The items sorted by their number of viewers, most popular first. Ties keep the given order, by default that of their numbers. */
export const byPopularity = (data: Interactions, order = new Uint32Array(data.itemCount).map((_, item) => item)) => {
  const views = viewCounts(data)
  return order.slice().sort((a, b) => (views[b] as number) - (views[a] as number))
}

export const firstOf = (order: Uint32Array, count: number, accepts: (item: number) => boolean) => {
  const first: number[] = []
  for (let at = 0; at < order.length && first.length < count; at++) {
    const item = order[at] as number
    if (accepts(item)) first.push(item)
  }
  return first
}

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

/** How much each view of a user counts. The more views the user has, the less. */
export const userWeights = ({ userCount, starts }: TrainingSet, power: number) => {
  const weights = new Float64Array(userCount)
  for (let user = 0; user < userCount; user++) {
    const views = (starts[user + 1] as number) - (starts[user] as number)
    weights[user] = views === 0 ? 0 : views ** -power
  }
  return weights
}
