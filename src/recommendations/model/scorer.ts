import { type Blend, placeOf } from './neighbours.js'

/** The items of a history, the oldest first, and what each of them counts: for what comes next, and for what is liked. */
export interface History {
  items: ArrayLike<number>
  next: ArrayLike<number>
  liked: ArrayLike<number>
}

/** After how many newer elements an element of the history counts half, for each side of a model. */
export interface HalfLives {
  next: number
  liked: number
}

export const historyOf = (items: ArrayLike<number>, halfLives: HalfLives, interests?: ArrayLike<number>): History => ({
  items,
  next: aged(items.length, halfLives.next, interests),
  liked: aged(items.length, halfLives.liked, interests)
})

/** Weights that halve with every `halfLife` newer elements. With `Infinity`, no element ages. */
export const aged = (size: number, halfLife: number, weights?: ArrayLike<number>) => {
  const result = new Float64Array(size)
  for (let at = 0; at < size; at++) result[at] = (weights ? (weights[at] as number) : 1) * 2 ** -((size - 1 - at) / halfLife)
  return result
}

export interface Scored {
  item: number
  score: number
}

const isBetter = (item: number, score: number, other: Scored) => score > other.score || (score === other.score && item < other.item)

/** Keeps the best of the offered items, sorted. Ties go to the lower item. */
export class Best {
  readonly taken: Scored[] = []
  /** Items with a lower score need not be offered. */
  least = 0

  constructor(private readonly count: number) {}

  offer(item: number, score: number) {
    const { taken, count } = this
    let place = taken.length
    while (place > 0 && isBetter(item, score, taken[place - 1] as Scored)) place--
    if (place === count) return
    if (taken.length === count) taken.pop()
    taken.splice(place, 0, { item, score })
    if (taken.length === count) this.least = (taken[count - 1] as Scored).score
  }
}

/** Scores items for one history after another. Reuses its buffer: `accepts` must not call the scorer. */
export class Scorer {
  /** By item. All 0 between two histories. */
  private readonly scores: Float64Array
  /** The largest weight that each item gives to any other, on either side, or 0. It tells which items `strongest` need not look at. */
  private readonly mostNext: Float32Array
  private readonly mostLiked: Float32Array

  constructor(private readonly links: Blend) {
    this.scores = new Float64Array(links.starts.length - 1)
    this.mostNext = mostOf(links.starts, links.first)
    this.mostLiked = mostOf(links.starts, links.second)
  }

  /** At most `count` accepted items with a positive score, the best first. Ties go to the lower item. */
  best(history: History, count: number, accepts: (item: number) => boolean): Scored[] {
    return this.bestApart(history, this.scores.length, [count, 0], accepts)[0]
  }

  /** Like `best`, with a list of their own for the items from `border` on. */
  bestApart(history: History, border: number, counts: [number, number], accepts: (item: number) => boolean): [Scored[], Scored[]] {
    const { scores } = this
    this.add(history)
    const before = bestBetween(scores, 0, border, counts[0], accepts)
    const beyond = bestBetween(scores, border, scores.length, counts[1], accepts)
    scores.fill(0)
    return [before, beyond]
  }

  /** The index in the history of the item that contributes most to the score of `target`, the oldest of equal ones; -1 if none does. */
  strongest({ items, next, liked }: History, target: number) {
    const { mostNext, mostLiked } = this
    const { starts, targets, first, second } = this.links
    let strongest = -1
    let most = 0
    // The newest ones come first, because they say most. Then most of the older ones need not be looked at.
    for (let at = items.length - 1; at >= 0; at--) {
      const item = items[at] as number
      const one = next[at] as number
      const other = liked[at] as number
      if (one * (mostNext[item] as number) + other * (mostLiked[item] as number) < most) continue
      const end = starts[item + 1] as number
      const place = placeOf(targets, starts[item] as number, end, target)
      if (place === end || targets[place] !== target) continue
      const strength = one * (first[place] as number) + other * (second[place] as number)
      if (strength < most || strength === 0) continue
      most = strength
      strongest = at
    }
    return strongest
  }

  private add({ items, next, liked }: History) {
    const { scores } = this
    const { starts, targets, first, second } = this.links
    for (let at = 0; at < items.length; at++) {
      const item = items[at] as number
      const one = next[at] as number
      const other = liked[at] as number
      const end = starts[item + 1] as number
      for (let place = starts[item] as number; place < end; place++) {
        const target = targets[place] as number
        scores[target] = (scores[target] as number) + one * (first[place] as number) + other * (second[place] as number)
      }
    }
  }
}

/** Looks at all items in between, because a list of those with a score would take longer to keep. */
const bestBetween = (scores: Float64Array, from: number, to: number, count: number, accepts: (item: number) => boolean) => {
  const best = new Best(count)
  // Of equal ones the first stays.
  for (let item = firstAbove(scores, from, to, 0); item < to; item = firstAbove(scores, item + 1, to, best.least))
    if (accepts(item)) best.offer(item, scores[item] as number)
  return best.taken
}

/** The first item with a higher score, or `to`. A loop of its own, in which V8 calls nothing, is five times as fast. */
const firstAbove = (scores: Float64Array, from: number, to: number, least: number) => {
  let item = from
  while (item < to && !((scores[item] as number) > least)) item++
  return item
}

/** The largest weight of each row, or 0. */
export const mostOf = (starts: Uint32Array, weights: Float32Array) => {
  const most = new Float32Array(starts.length - 1)
  for (let item = 0; item < most.length; item++) {
    const end = starts[item + 1] as number
    for (let place = starts[item] as number; place < end; place++) most[item] = Math.max(most[item] as number, weights[place] as number)
  }
  return most
}
