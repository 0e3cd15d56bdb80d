import { Best, type Scored } from './best.js'
import type { Neighbours } from './neighbours.js'

/** Items of a history and what each counts; 1 without weights. */
export interface History {
  items: ArrayLike<number>
  weights?: ArrayLike<number>
}

/** Scores items for one history after the other. It keeps what it needs to, so each thread has its own. */
export class Scorer {
  /** By item; all 0 between two histories. */
  private readonly scores: Float64Array
  private found: Uint32Array

  constructor(private readonly neighbours: Neighbours) {
    const itemCount = neighbours.starts.length - 1
    this.scores = new Float64Array(itemCount)
    this.found = new Uint32Array(itemCount)
  }

  /** At most `count` accepted items for which the history speaks, the best first; of equals the lower number. */
  best(history: History, count: number, accepts: (item: number) => boolean): Scored[] {
    const { scores } = this
    const size = this.add(history)
    const { found } = this
    const best = new Best(count)
    for (let at = 0; at < size; at++) {
      const item = found[at] as number
      const score = scores[item] as number
      // So an item that was found twice, because its score was 0 in between, counts once.
      scores[item] = 0
      // What the history speaks against is not recommended for it.
      if (score > 0 && score >= best.least && accepts(item)) best.offer(item, score)
    }
    return best.taken
  }

  /** Adds up the scores; says how many items were found. */
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

  /** The place in the history of what speaks most for an item; -1 where nothing does. */
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
