import { type HoldOut, type Quality, qualitiesOf } from './evaluation.js'
import type { Blend } from './neighbours.js'
import { Best, type HalfLives, type History, historyOf } from './scorer.js'

/** Elements of a history that count less than this change nothing. */
const negligible = 1e-3

/** The quality of a blend with each share of its second model. */
export const blendQualities = (
  out: HoldOut,
  blend: Blend,
  halfLives: HalfLives,
  shares: number[],
  depth: number,
  itemCount: number
): Quality[] => {
  const scorer = new BlendScorer(blend)
  const { starts, items, weights } = out.training
  return qualitiesOf(out, depth, itemCount, shares.length, (user, isSeen) => {
    const [from, to] = [starts[user], starts[user + 1]]
    const history = historyOf(items.subarray(from, to), halfLives, weights?.subarray(from, to))
    return scorer.best(history, shares, depth, item => !isSeen(item))
  })
}

/** Scores with several shares of the second model at once, which takes little more time than one share. */
export class BlendScorer {
  private readonly first: Float64Array
  private readonly second: Float64Array
  private readonly found: Uint32Array
  private readonly isFound: Uint8Array

  constructor(private readonly blend: Blend) {
    const itemCount = blend.starts.length - 1
    this.first = new Float64Array(itemCount)
    this.second = new Float64Array(itemCount)
    this.found = new Uint32Array(itemCount)
    this.isFound = new Uint8Array(itemCount)
  }

  best(history: History, shares: number[], count: number, accepts: (item: number) => boolean) {
    const { first, second, found, isFound } = this
    const size = this.add(history)
    const lists = shares.map(() => new Best(count))
    for (let at = 0; at < size; at++) {
      const item = found[at] as number
      const one = first[item] as number
      const other = second[item] as number
      first[item] = 0
      second[item] = 0
      isFound[item] = 0
      for (let list = 0; list < lists.length; list++) {
        const best = lists[list] as Best
        const score = one + (shares[list] as number) * other
        if (score > 0 && score >= best.least && accepts(item)) best.offer(item, score)
      }
    }
    return lists.map(({ taken }) => taken.map(({ item }) => item))
  }

  private add({ items, next, liked }: History) {
    const { first, second, found, isFound } = this
    const { starts, targets, first: firsts, second: seconds } = this.blend
    let size = 0
    for (let at = 0; at < items.length; at++) {
      const item = items[at] as number
      const one = next[at] as number
      const other = liked[at] as number
      if (Math.max(one, other) < negligible) continue
      const end = starts[item + 1] as number
      for (let place = starts[item] as number; place < end; place++) {
        const target = targets[place] as number
        if (isFound[target] === 0) {
          isFound[target] = 1
          found[size++] = target
        }
        first[target] = (first[target] as number) + one * (firsts[place] as number)
        second[target] = (second[target] as number) + other * (seconds[place] as number)
      }
    }
    return size
  }
}
