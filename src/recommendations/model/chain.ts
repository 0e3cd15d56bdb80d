import { balanced, type Neighbours, Rows, sorted } from './neighbours.js'
import { selectBest } from './selection.js'
import { Succession } from './succession.js'
import type { TrainingSet } from './training-set.js'

/** Counts of what came after an item. */
export interface ChainShape {
  /** How much less a pair counts with every view in between. */
  decay: number
  /** How much a pair in the opposite order counts: titles watched on the same evening come in any order. */
  back: number
  /** The power by which items that much came after count less. */
  sources: number
  /** Keeps the best `keep` neighbours of each item. */
  keep: number
}

/** Added to the count of what came after an item, so that few views prove little. */
const doubt = 2

export const chain = (set: TrainingSet, { decay, back, sources, keep }: ChainShape): Neighbours => {
  const succession = new Succession(set, decay)
  const { items, before, after } = succession
  const values = new Float64Array(set.itemCount)
  const rows = new Rows(set.itemCount)
  for (let item = 0; item < set.itemCount; item++) {
    succession.count(item)
    let total = doubt
    for (let at = 0; at < succession.size; at++) {
      const other = items[at] as number
      total += after[other] as number
      values[other] = (after[other] as number) + back * (before[other] as number)
    }
    const count = selectBest(items, succession.size, values, keep)
    for (let at = 0; at < count; at++) rows.add(items[at] as number, (values[items[at] as number] as number) * total ** -sources)
    rows.close()
  }
  return balanced(set, sorted(rows.end()))
}
