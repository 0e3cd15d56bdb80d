import { type Blend, placeOf } from './neighbours.js'
import type { History } from './scorer.js'

/** Finds which item of a history contributes most to the score of another. */
export class StrongestLinks {
  /** The largest weight that each item gives to any other, on either side, or 0. It tells which items need not be looked at. */
  private readonly mostNext: Float32Array
  private readonly mostLiked: Float32Array

  constructor(private readonly links: Blend) {
    this.mostNext = mostOf(links.starts, links.first)
    this.mostLiked = mostOf(links.starts, links.second)
  }

  /** The index in the history of the item that contributes most to the score of `target`, the oldest of equal ones; -1 if none does. */
  of({ items, next, liked }: History, target: number) {
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
}

const mostOf = (starts: Uint32Array, weights: Float32Array) => {
  const most = new Float32Array(starts.length - 1)
  for (let item = 0; item < most.length; item++) {
    const end = starts[item + 1] as number
    for (let place = starts[item] as number; place < end; place++) most[item] = Math.max(most[item] as number, weights[place] as number)
  }
  return most
}
