import { aged } from './ageing.js'
import { Best, type Scored } from './best.js'
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

/** Scores items for one history after another. Reuses its buffers: callbacks must not call the scorer. */
export class Scorer {
  /** By item. All 0 between two histories. */
  private readonly scores: Float64Array
  private found: Uint32Array

  constructor(private readonly links: Blend) {
    const itemCount = links.starts.length - 1
    this.scores = new Float64Array(itemCount)
    this.found = new Uint32Array(itemCount)
  }

  /** At most `count` accepted items with a positive score, the best first. Ties go to the lower item. */
  best(history: History, count: number, accepts: (item: number) => boolean): Scored[] {
    const best = new Best(count)
    this.each(history, (item, score) => {
      if (score >= best.least && accepts(item)) best.offer(item, score)
    })
    return best.taken
  }

  /** Calls `visit` with every item that has a positive score. */
  each(history: History, visit: (item: number, score: number) => void) {
    const { scores } = this
    const size = this.add(history)
    const { found } = this
    for (let at = 0; at < size; at++) {
      const item = found[at] as number
      const score = scores[item] as number
      // An item is in `found` twice if its score was 0 in between. The reset makes it count once.
      scores[item] = 0
      if (score > 0) visit(item, score)
    }
  }

  /** Adds up the scores. Returns how many items were found. */
  private add({ items, next, liked }: History) {
    const { scores } = this
    const { starts, targets, first, second } = this.links
    let size = 0
    for (let at = 0; at < items.length; at++) {
      const item = items[at] as number
      const one = next[at] as number
      const other = liked[at] as number
      const end = starts[item + 1] as number
      let place = starts[item] as number
      const found = this.roomFor(size + end - place)
      for (; place < end; place++) {
        const target = targets[place] as number
        const score = scores[target] as number
        if (score === 0) found[size++] = target
        scores[target] = score + one * (first[place] as number) + other * (second[place] as number)
      }
    }
    return size
  }

  private roomFor(size: number) {
    if (size <= this.found.length) return this.found
    const found = new Uint32Array(size * 2)
    found.set(this.found)
    this.found = found
    return found
  }

  /** The index in the history of the item that contributes most to the score of `target`; -1 if none does. */
  reason({ items, next, liked }: History, target: number) {
    const { starts, targets, first, second } = this.links
    let reason = -1
    let most = 0
    for (let at = 0; at < items.length; at++) {
      const item = items[at] as number
      const end = starts[item + 1] as number
      const place = placeOf(targets, starts[item] as number, end, target)
      if (place === end || targets[place] !== target) continue
      const strength = (next[at] as number) * (first[place] as number) + (liked[at] as number) * (second[place] as number)
      if (strength <= most) continue
      most = strength
      reason = at
    }
    return reason
  }
}
