import { randomFrom } from './random.js'

/** What users watched. Users and items are numbers from 0. */
export interface Interactions {
  itemCount: number
  /** Where the items of each user begin, and the end of the last. */
  starts: Uint32Array
  /** Oldest first within a user, none twice. */
  items: Uint32Array
  /** The interest that an element tells of, 0 to 1; 1 without it. */
  weights?: Float32Array
}

export interface Events {
  users: Uint32Array
  items: Uint32Array
  weights?: Float32Array
}

export const userCountOf = ({ starts }: Interactions) => starts.length - 1

/** Where each of `count` groups begins once `keys` are sorted by group, and the end of the last. */
export const startsOf = (keys: Uint32Array, count: number) => {
  const starts = new Uint32Array(count + 1)
  for (const key of keys) starts[key + 1] = (starts[key + 1] as number) + 1
  for (let at = 0; at < count; at++) starts[at + 1] = (starts[at + 1] as number) + (starts[at] as number)
  return starts
}

/** Events that are the oldest first within a user become interactions. Of a pair that comes again the newest counts. */
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

const longest = 1000
const shortest = 50

/** How many items of each history may be learned from, where that looks at no more than so many pairs. */
export const workableLength = ({ starts }: Interactions, mostPairs: number) => {
  const pairsOf = (most: number) =>
    starts.reduce((pairs, start, at) => (at === 0 ? 0 : pairs + Math.min(start - (starts[at - 1] as number), most) ** 2), 0)
  let most = longest
  while (most > shortest && pairsOf(most) > mostPairs) most = Math.ceil(most * 0.8)
  return most
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
 * The users in a random order, so that the first of them are a sample, with at most so many items each, the newest: the work
 * grows with the square of a history, and a robot's may be very long.
 */
export const shuffled = (data: Interactions, most: number, seed: number): Interactions => {
  const { itemCount, items, weights } = data
  const userCount = userCountOf(data)
  const order = orderOf(userCount, seed)
  const sizeOf = (user: number) => Math.min((data.starts[user + 1] as number) - (data.starts[user] as number), most)
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

/** The first users, who have at most so many elements together. */
export const firstUsers = ({ itemCount, starts, items, weights }: Interactions, most: number): Interactions => {
  const over = starts.findIndex(start => start > most)
  const last = over === -1 ? starts.length - 1 : over - 1
  const end = starts[last] as number
  return {
    itemCount,
    starts: starts.subarray(0, last + 1),
    items: items.subarray(0, end),
    ...(weights && { weights: weights.subarray(0, end) })
  }
}
