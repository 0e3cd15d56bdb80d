import type { HoldOut } from './hold-out.js'
import { userCountOf } from './interactions.js'

/** Means over the users for whom something was held out. */
export interface Quality {
  ndcg: number
  recall: number
  /** The share of the items that could be recommended that are recommended to anyone. */
  coverage: number
}

/** The best unseen items for a user of the hold-out. */
export type Recommend = (user: number, isSeen: (item: number) => boolean) => ArrayLike<number>

const discount = (place: number) => 1 / Math.log2(place + 2)

/** How well the first `count` recommendations meet what was held out, where `itemCount` items could be recommended. */
export const qualityOf = ({ training, heldStarts, held }: HoldOut, count: number, itemCount: number, recommend: Recommend): Quality => {
  const { starts, items } = training
  const seenBy = new Uint32Array(training.itemCount)
  const wantedBy = new Uint32Array(training.itemCount)
  const shown = new Uint8Array(training.itemCount)
  let users = 0
  let ndcg = 0
  let recall = 0
  for (let user = 0; user < userCountOf(training); user++) {
    const firstHeld = heldStarts[user] as number
    const endOfHeld = heldStarts[user + 1] as number
    const wanted = endOfHeld - firstHeld
    if (wanted === 0) continue
    for (let at = firstHeld; at < endOfHeld; at++) wantedBy[held[at] as number] = user + 1
    for (let at = starts[user] as number; at < (starts[user + 1] as number); at++) seenBy[items[at] as number] = user + 1

    const recommended = recommend(user, item => seenBy[item] === user + 1)
    let found = 0
    let gain = 0
    for (let place = 0; place < Math.min(recommended.length, count); place++) {
      const item = recommended[place] as number
      shown[item] = 1
      if (wantedBy[item] !== user + 1) continue
      found++
      gain += discount(place)
    }
    let ideal = 0
    for (let place = 0; place < Math.min(wanted, count); place++) ideal += discount(place)
    users++
    ndcg += gain / ideal
    recall += found / wanted
  }
  const mean = (sum: number, of: number) => (of === 0 ? 0 : sum / of)
  const recommended = shown.reduce((sum, one) => sum + one, 0)
  return { ndcg: mean(ndcg, users), recall: mean(recall, users), coverage: mean(recommended, itemCount) }
}
