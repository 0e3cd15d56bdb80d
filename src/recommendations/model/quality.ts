import type { HoldOut } from './hold-out.js'
import { userCountOf } from './interactions.js'
import { byPopularity } from './popularity.js'

/** Means over the users with held-out items. */
export interface Quality {
  ndcg: number
  recall: number
  /** The share of the items that are recommended to at least one user. */
  coverage: number
  /** The share of the users for whom at least one held-out item is recommended. */
  hits: number
  /** The share of the recommendations that are among the hundred most popular items. */
  popular: number
}

/** Worse than any measured quality. */
export const unmeasured: Quality = { ndcg: -1, recall: 0, coverage: 0, hits: 0, popular: 0 }

/** Returns the recommendations of several models to a user of the hold-out, the best first. */
export type Recommend = (user: number, isSeen: (item: number) => boolean) => ArrayLike<number>[]

const discount = (place: number) => 1 / Math.log2(place + 2)

class Tally {
  private users = 0
  private ndcg = 0
  private recall = 0
  private hits = 0
  private listed = 0
  private popular = 0
  private readonly shown: Uint8Array

  constructor(
    itemCount: number,
    private readonly isPopular: Uint8Array
  ) {
    this.shown = new Uint8Array(itemCount)
  }

  add(list: ArrayLike<number>, count: number, wanted: number, isWanted: (item: number) => boolean) {
    let found = 0
    let gain = 0
    let ideal = 0
    for (let place = 0; place < Math.min(list.length, count); place++) {
      const item = list[place] as number
      this.shown[item] = 1
      this.listed++
      this.popular += this.isPopular[item] as number
      if (!isWanted(item)) continue
      found++
      gain += discount(place)
    }
    for (let place = 0; place < Math.min(wanted, count); place++) ideal += discount(place)
    this.users++
    if (found > 0) this.hits++
    this.ndcg += gain / ideal
    this.recall += found / wanted
  }

  mean(itemCount: number): Quality {
    const { users, ndcg, recall, hits, shown, popular, listed } = this
    const of = Math.max(users, 1)
    return {
      ndcg: ndcg / of,
      recall: recall / of,
      coverage: shown.reduce((sum, one) => sum + one, 0) / Math.max(itemCount, 1),
      hits: hits / of,
      popular: popular / Math.max(listed, 1)
    }
  }
}

/** How well the first `count` recommendations of several models predict the held-out items. `itemCount` items could be recommended. */
export const qualitiesOf = (out: HoldOut, count: number, itemCount: number, models: number, recommend: Recommend): Quality[] => {
  const { training, heldStarts, held } = out
  const { starts, items } = training
  const isPopular = new Uint8Array(training.itemCount)
  for (const item of byPopularity(training).subarray(0, 100)) isPopular[item] = 1
  const tallies = Array.from({ length: models }, () => new Tally(training.itemCount, isPopular))
  const seenBy = new Uint32Array(training.itemCount)
  const wantedBy = new Uint32Array(training.itemCount)
  for (let user = 0; user < userCountOf(training); user++) {
    const firstHeld = heldStarts[user] as number
    const endOfHeld = heldStarts[user + 1] as number
    if (firstHeld === endOfHeld) continue
    const mark = user + 1
    for (let at = firstHeld; at < endOfHeld; at++) wantedBy[held[at] as number] = mark
    for (let at = starts[user] as number; at < (starts[user + 1] as number); at++) seenBy[items[at] as number] = mark
    recommend(user, item => seenBy[item] === mark).forEach((list, model) => {
      tallies[model]?.add(list, count, endOfHeld - firstHeld, item => wantedBy[item] === mark)
    })
  }
  return tallies.map(tally => tally.mean(itemCount))
}
