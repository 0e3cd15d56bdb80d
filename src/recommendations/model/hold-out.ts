import { type Interactions, userCountOf } from './interactions.js'
import { randomFrom } from './random.js'

/** Interactions split into a training part and a held-out part, which a model has to predict. */
export interface HoldOut {
  training: Interactions
  /** Where the held-out items of each user begin in `held`. */
  heldStarts: Uint32Array
  held: Uint32Array
}

/** `random` tests what a user watches at all, `newest` what the user watches next: the last item of each history. */
export type HoldOutKind = 'random' | 'newest'

const share = 0.2

/** How many items of a history are held out: a fifth on average, never all. */
const countOf = (size: number, random: () => number) => Math.min(Math.floor(size * share + random()), size - 1)

export const holdOut = (data: Interactions, kind: HoldOutKind, seed: number): HoldOut => {
  const { itemCount, starts, items, weights } = data
  const random = randomFrom(seed)
  const userCount = userCountOf(data)
  const isHeld = new Uint8Array(items.length)
  for (let user = 0; user < userCount; user++) {
    const from = starts[user] as number
    const size = (starts[user + 1] as number) - from
    if (size < 2) continue
    let left = kind === 'newest' ? 1 : countOf(size, random)
    // Selection sampling: holds out exactly this many, each item with the same probability.
    for (let at = size - 1; left > 0; at--) {
      if (kind === 'random' && random() * (at + 1) >= left) continue
      isHeld[from + at] = 1
      left--
    }
  }

  const heldCount = isHeld.reduce((sum, one) => sum + one, 0)
  const heldStarts = new Uint32Array(userCount + 1)
  const held = new Uint32Array(heldCount)
  const keptStarts = new Uint32Array(userCount + 1)
  const keptItems = new Uint32Array(items.length - heldCount)
  const keptWeights = weights && new Float32Array(items.length - heldCount)
  let kept = 0
  let out = 0
  for (let user = 0; user < userCount; user++) {
    const end = starts[user + 1] as number
    for (let at = starts[user] as number; at < end; at++) {
      if (isHeld[at] === 1) held[out++] = items[at] as number
      else {
        if (keptWeights) keptWeights[kept] = weights[at] as number
        keptItems[kept++] = items[at] as number
      }
    }
    heldStarts[user + 1] = out
    keptStarts[user + 1] = kept
  }
  return { training: { itemCount, starts: keptStarts, items: keptItems, ...(keptWeights && { weights: keptWeights }) }, heldStarts, held }
}

/** The hold-out reduced to some items. */
export const heldOutWithin = ({ training, heldStarts, held }: HoldOut, within: Uint8Array): HoldOut => {
  const starts = new Uint32Array(heldStarts.length)
  const left = held.filter(item => within[item] === 1)
  let size = 0
  for (let user = 1; user < starts.length; user++) {
    for (let at = heldStarts[user - 1] as number; at < (heldStarts[user] as number); at++) size += within[held[at] as number] as number
    starts[user] = size
  }
  return { training, heldStarts: starts, held: left }
}

/** The hold-out reduced to the users with the first `count` held-out items. */
export const firstHeldOut = ({ training, heldStarts, held }: HoldOut, count: number): HoldOut => ({
  training,
  heldStarts: heldStarts.map(start => Math.min(start, count)),
  held: held.subarray(0, count)
})
