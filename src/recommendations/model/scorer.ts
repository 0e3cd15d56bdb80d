import { Best, type Scored } from './best.js'
import type { Neighbours } from './neighbours.js'

/** The items of a history and their weights. Without weights, all are 1. */
export interface History {
  items: ArrayLike<number>
  weights?: ArrayLike<number>
}

/** Scores items for one history after another. Reuses its buffers: `accepts` must not call the scorer. */
export class Scorer {
  /** By item. All 0 between two histories. */
  private readonly scores: Float64Array
  private found: Uint32Array

  constructor(private readonly neighbours: Neighbours) {
    const itemCount = neighbours.starts.length - 1
    this.scores = new Float64Array(itemCount)
    this.found = new Uint32Array(itemCount)
  }

  /** At most `count` accepted items with a positive score, the best first. Ties go to the lower item. */
  best(history: History, count: number, accepts: (item: number) => boolean): Scored[] {
    const { scores } = this
    const size = this.add(history)
    const { found } = this
    const best = new Best(count)
    for (let at = 0; at < size; at++) {
      const item = found[at] as number
      const score = scores[item] as number
      // An item is in `found` twice if its score was 0 in between. The reset makes it count once.
      scores[item] = 0
      if (score > 0 && score >= best.least && accepts(item)) best.offer(item, score)
    }
    return best.taken
  }

  /** Adds up the scores. Returns how many items were found. */
  private add({ items, weights }: History) {
    const { scores } = this
    const { starts, targets, weights: strengths } = this.neighbours
    let size = 0
    for (let at = 0; at < items.length; at++) {
      const item = items[at] as number
      const weight = weights ? (weights[at] as number) : 1
      const end = starts[item + 1] as number
      let place = starts[item] as number
      const found = this.roomFor(size + end - place)
      for (; place < end; place++) {
        const target = targets[place] as number
        const score = scores[target] as number
        if (score === 0) found[size++] = target
        scores[target] = score + weight * (strengths[place] as number)
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
  reason({ items, weights }: History, target: number) {
    let reason = -1
    let most = 0
    for (let at = 0; at < items.length; at++) {
      const strength = (weights ? (weights[at] as number) : 1) * this.strength(items[at] as number, target)
      if (strength <= most) continue
      most = strength
      reason = at
    }
    return reason
  }

  private strength(source: number, target: number) {
    const { starts, targets, weights } = this.neighbours
    let low = starts[source] as number
    const end = starts[source + 1] as number
    let high = end
    while (low < high) {
      const middle = (low + high) >> 1
      if ((targets[middle] as number) < target) low = middle + 1
      else high = middle
    }
    return low < end && targets[low] === target ? (weights[low] as number) : 0
  }
}
