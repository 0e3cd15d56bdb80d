import { randomFrom } from './random.js'

/** What each user watched. Users and items are numbered from 0. */
export interface Interactions {
  itemCount: number
  /** Where the items of each user begin, and where the last user's end. */
  starts: Uint32Array
  /** Per user: oldest first, no duplicates. */
  items: Uint32Array
  /** The interest in each item, from 0 to 1. Without weights, all are 1. */
  weights?: Float32Array
}

export interface Events {
  users: Uint32Array
  items: Uint32Array
  weights?: Float32Array
}

export const userCountOf = ({ starts }: Interactions) => starts.length - 1

/** Where each of `count` groups begins when the keys are sorted, and where the last one ends. */
export const startsOf = (keys: Uint32Array, count: number) => {
  const starts = new Uint32Array(count + 1)
  for (const key of keys) starts[key + 1] = (starts[key + 1] as number) + 1
  for (let at = 0; at < count; at++) starts[at + 1] = (starts[at + 1] as number) + (starts[at] as number)
  return starts
}

/** Groups events by user. The events of each user must be in order; of repeated items, the newest event counts. */
export const interactionsOf = ({ users, items, weights }: Events, userCount: number, itemCount: number): Interactions => {
  const bounds = startsOf(users, userCount)
  const events = new Uint32Array(users.length)
  const ends = bounds.slice()
  for (let event = 0; event < users.length; event++) {
    const user = users[event] as number
    const at = ends[user] as number
    events[at] = event
    ends[user] = at + 1
  }

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
    ...(weights && { weights: Float32Array.from(order, event => weights[event] as number) })
  }
}

const maxLength = 1000
const minLength = 50

/** The length to cut histories to, so that they have at most `maxPairs` pairs of items together. */
export const workableLength = ({ starts }: Interactions, maxPairs: number) => {
  const pairsOf = (length: number) =>
    starts.reduce((pairs, start, at) => (at === 0 ? 0 : pairs + Math.min(start - (starts[at - 1] as number), length) ** 2), 0)
  let length = maxLength
  while (length > minLength && pairsOf(length) > maxPairs) length = Math.ceil(length * 0.8)
  return length
}

const orderOf = (count: number, seed: number) => {
  const random = randomFrom(seed)
  const order = new Uint32Array(count).map((_, at) => at)
  for (let at = count - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    const moved = order[at] as number
    order[at] = order[other] as number
    order[other] = moved
  }
  return order
}

/**
 * Shuffles the users, so that the first ones are a random sample, and cuts each history to its newest items: the work grows with
 * the square of the length, and the history of a bot may be very long.
 */
export const shuffled = (data: Interactions, maxLength: number, seed: number): Interactions => {
  const { itemCount, items, weights } = data
  const userCount = userCountOf(data)
  const order = orderOf(userCount, seed)
  const sizeOf = (user: number) => Math.min((data.starts[user + 1] as number) - (data.starts[user] as number), maxLength)
  const starts = new Uint32Array(userCount + 1)
  order.forEach((user, at) => {
    starts[at + 1] = (starts[at] as number) + sizeOf(user)
  })
  const reordered = <T extends Uint32Array | Float32Array>(all: T, into: T) => {
    order.forEach((user, at) => {
      const end = data.starts[user + 1] as number
      into.set(all.subarray(end - sizeOf(user), end), starts[at])
    })
    return into
  }
  const size = starts[userCount] as number
  return {
    itemCount,
    starts,
    items: reordered(items, new Uint32Array(size)),
    ...(weights && { weights: reordered(weights, new Float32Array(size)) })
  }
}

/** The first users that have at most this many elements together. */
export const firstUsers = ({ itemCount, starts, items, weights }: Interactions, maxElements: number): Interactions => {
  const over = starts.findIndex(start => start > maxElements)
  const last = over === -1 ? starts.length - 1 : over - 1
  const end = starts[last] as number
  return {
    itemCount,
    starts: starts.subarray(0, last + 1),
    items: items.subarray(0, end),
    ...(weights && { weights: weights.subarray(0, end) })
  }
}
