import { type HoldOut, type Quality, qualitiesOf } from './evaluation.js'
import { type Past, pastOf } from './interactions.js'
import type { Links } from './links.js'
import { Best } from './ranker.js'

/** The quality of two tables together, with each share of the second one. */
export const blendQualities = (out: HoldOut, links: Links, shares: number[], depth: number, itemCount: number): Quality[] => {
  const scorer = new BlendScorer(links)
  return qualitiesOf(out, depth, itemCount, shares.length, (user, isSeen) =>
    scorer.best(pastOf(out.training, user), shares, depth, item => !isSeen(item))
  )
}

/** Scores with several shares of the second table at once, which takes little more time than one share. */
export class BlendScorer {
  private readonly first: Float64Array
  private readonly second: Float64Array
  private readonly found: Uint32Array
  private readonly isFound: Uint8Array

  constructor(private readonly links: Links) {
    const itemCount = links.starts.length - 1
    this.first = new Float64Array(itemCount)
    this.second = new Float64Array(itemCount)
    this.found = new Uint32Array(itemCount)
    this.isFound = new Uint8Array(itemCount)
  }

  best(past: Past, shares: number[], count: number, accepts: (item: number) => boolean) {
    const { first, second, found, isFound } = this
    const size = this.add(past)
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

  private add({ items, interests }: Past) {
    const { first, second, found, isFound } = this
    const { starts, targets, weights } = this.links
    let size = 0
    for (let at = 0; at < items.length; at++) {
      const item = items[at] as number
      const interest = interests ? (interests[at] as number) : 1
      if (interest === 0) continue
      const end = starts[item + 1] as number
      for (let link = starts[item] as number; link < end; link++) {
        const target = targets[link] as number
        if (isFound[target] === 0) {
          isFound[target] = 1
          found[size++] = target
        }
        first[target] = (first[target] as number) + interest * (weights[2 * link] as number)
        second[target] = (second[target] as number) + interest * (weights[2 * link + 1] as number)
      }
    }
    return size
  }
}
