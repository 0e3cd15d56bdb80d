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

/** Interactions of which only some elements stay: those between two places of each user. */
const between = (data: Interactions, boundsOf: (user: number) => [from: number, to: number]): Interactions => {
  const starts = new Uint32Array(data.starts.length)
  const pieces: [number, number][] = []
  for (let user = 0; user < starts.length - 1; user++) {
    const [from, to] = boundsOf(user)
    pieces.push([from, to])
    starts[user + 1] = (starts[user] as number) + to - from
  }
  const cut = <T extends Uint32Array | Float32Array>(all: T, cutInto: T) => {
    pieces.forEach(([from, to], user) => {
      cutInto.set(all.subarray(from, to), starts[user])
    })
    return cutInto
  }
  const size = starts.at(-1) as number
  const { itemCount, items, weights } = data
  return {
    itemCount,
    starts,
    items: cut(items, new Uint32Array(size)),
    ...(weights && { weights: cut(weights, new Float32Array(size)) })
  }
}

/** At most so many of each user's items, the newest: the work grows with the square of a history, and a robot's may be very long. */
export const newest = (data: Interactions, most: number): Interactions => {
  const { starts } = data
  if (!starts.some((start, at) => at > 0 && start - (starts[at - 1] as number) > most)) return data
  return between(data, user => {
    const to = starts[user + 1] as number
    return [Math.max(starts[user] as number, to - most), to]
  })
}

/** Whole users at random, until there are about so many interactions. */
export const sampleOf = (data: Interactions, most: number, seed: number): Interactions => {
  const { starts, items } = data
  if (items.length <= most) return data
  const random = randomFrom(seed)
  const share = most / items.length
  return between(data, user => {
    const from = starts[user] as number
    return [from, random() < share ? (starts[user + 1] as number) : from]
  })
}
