import { aged } from './ageing.js'
import { Best, type Scored } from './best.js'
import type { Blend } from './neighbours.js'

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

/** Scores items for one history after another. Reuses its buffer: `accepts` must not call the scorer. */
export class Scorer {
  /** By item. All 0 between two histories. */
  private readonly scores: Float64Array

  constructor(private readonly links: Blend) {
    this.scores = new Float64Array(links.starts.length - 1)
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
