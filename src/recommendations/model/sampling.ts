import { type Interactions, userCountOf } from './interactions.js'

/** A seeded random number generator (mulberry32), so that trainings are reproducible. */
export const randomFrom = (seed: number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Shuffles the users, and truncates each history to its newest items, because the work grows with the square of the length. */
export const shuffled = (data: Interactions, maxLength: number, seed: number): Interactions => {
  const { itemCount, items, weights, days } = data
  const userCount = userCountOf(data)
  const order = orderOf(userCount, seed)
  const sizeOf = (user: number) => Math.min((data.starts[user + 1] as number) - (data.starts[user] as number), maxLength)
  const starts = new Uint32Array(userCount + 1)
  order.forEach((user, at) => {
    starts[at + 1] = (starts[at] as number) + sizeOf(user)
  })
  const reordered = <T extends Uint16Array | Uint32Array | Float32Array>(all: T, into: T) => {
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
    ...(weights && { weights: reordered(weights, new Float32Array(size)) }),
    ...(days && { days: reordered(days, new Uint16Array(size)) })
  }
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

const maxLength = 1000
const minLength = 50

/** The length to truncate histories to, so that they have at most `maxPairs` pairs of items in total. */
export const workableLength = ({ starts }: Interactions, maxPairs: number) => {
  const pairsOf = (length: number) =>
    starts.reduce((pairs, start, at) => (at === 0 ? 0 : pairs + Math.min(start - (starts[at - 1] as number), length) ** 2), 0)
  let length = maxLength
  while (length > minLength && pairsOf(length) > maxPairs) length = Math.ceil(length * 0.8)
  return length
}

/** The first users with at most this many elements in total. */
export const firstUsers = ({ itemCount, starts, items, weights, days }: Interactions, maxElements: number): Interactions => {
  const over = starts.findIndex(start => start > maxElements)
  const last = over === -1 ? starts.length - 1 : over - 1
  const end = starts[last] as number
  return {
    itemCount,
    starts: starts.subarray(0, last + 1),
    items: items.subarray(0, end),
    ...(weights && { weights: weights.subarray(0, end) }),
    ...(days && { days: days.subarray(0, end) })
  }
}
