import { type Interactions, interactionsOf } from '../../../src/recommendations/model/interactions.js'
import { joined } from '../../../src/recommendations/model/links.js'
import { type Neighbours, Rows } from '../../../src/recommendations/model/neighbours.js'
import type { Ranking } from '../../../src/recommendations/model/ranker.js'
import { periods } from '../../../src/recommendations/model/recent.js'

export const interactions = (...histories: number[][]): Interactions =>
  interactionsOf(
    {
      users: Uint32Array.from(histories.flatMap((history, user) => history.map(() => user))),
      items: Uint32Array.from(histories.flat())
    },
    histories.length,
    Math.max(-1, ...histories.flat()) + 1
  )

export const historiesOf = ({ starts, items }: Interactions) =>
  Array.from({ length: starts.length - 1 }, (_, user) => [...items.subarray(starts[user], starts[user + 1])])

/** A model as a table of weights. */
export const tableOf = ({ starts, targets, weights }: Neighbours) =>
  Array.from({ length: starts.length - 1 }, (_, row) => {
    const cells = Array<number>(starts.length - 1).fill(0)
    for (let at = starts[row] as number; at < (starts[row + 1] as number); at++) cells[targets[at] as number] = weights[at] as number
    return cells
  })

export const rowsOf = (...lists: [target: number, weight: number][][]) => {
  const rows = new Rows(lists.length)
  for (const list of lists) {
    for (const [target, weight] of list) rows.add(target, weight)
    rows.close()
  }
  return rows
}

export const isNear = (one: number[][], other: number[][], by = 1e-5) =>
  one.length === other.length &&
  one.every((row, r) => row.every((value, c) => Math.abs(value - ((other[r] as number[])[c] as number)) < by))

/** A ranking by the first scores alone, in which nothing ages and everything is as popular and as fresh. */
export const rankingOf = (tables: Neighbours[], given: Partial<Ranking> = {}): Ranking => {
  const links = joined(tables)
  const one = new Float32Array(links.starts.length - 1).fill(1)
  const recent = new Float32Array(one.length * periods.length)
  const shares = tables.map(() => ({ share: 1, halfLife: Number.POSITIVE_INFINITY }))
  return { links, shares, views: one, freshness: one, recent, weights: new Float64Array(0), ...given }
}

export const all = () => true

export const itemsOf = (list: { item: number }[]) => list.map(({ item }) => item)

/** Weights of which only those of some features are not 0. */
export const weightsOf = (count: number, some: Record<number, number>) => new Float64Array(count).map((_, feature) => some[feature] ?? 0)
