import { balanced, type Neighbours, Rows, sorted } from './neighbours.js'
import { selectBest } from './selection.js'
import { Succession } from './succession.js'
import type { TrainingSet } from './training-set.js'

/** The settings of the chain, which counts what came after each item. */
export interface ChainShape {
  /** The power by which a pair counts less the further apart its views are. A decay would leave too little of the pairs of rare items. */
  distance: number
  /** How much a pair in the opposite order counts: titles watched on the same evening come in any order. */
  back: number
  /** The power of a count. The tenth user who goes from one item to another proves less than the first. */
  counts: number
  /** The power by which an item counts less the more views came after it. */
  sources: number
  /** Keeps the best `keep` neighbours of each item. */
  keep: number
}

/** Added to the count of what came after an item, so that few views prove little. */
const doubt = 2

export const chain = (set: TrainingSet, { distance, back, counts, sources, keep }: ChainShape): Neighbours => {
  const succession = new Succession(set, views => views ** -distance)
  const { items, before, after } = succession
  const values = new Float64Array(set.itemCount)
  const rows = new Rows(set.itemCount)
  for (let item = 0; item < set.itemCount; item++) {
    succession.count(item)
    let total = doubt
    for (let at = 0; at < succession.size; at++) {
      const other = items[at] as number
      const count = (after[other] as number) + back * (before[other] as number)
      values[other] = count
      total += count
    }
    const count = selectBest(items, succession.size, values, keep)
    const own = total ** -sources
    for (let at = 0; at < count; at++) rows.add(items[at] as number, (values[items[at] as number] as number) ** counts * own)
    rows.close()
  }
  return balanced(set, sorted(rows.end()))
}
