import { type Interactions, interactionsOf } from '../../../src/recommendations/model/interactions.js'
import { type Neighbours, Rows } from '../../../src/recommendations/model/neighbours.js'

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

/** Links of five items. The weights of what is liked are all 0. */
export const links = {
  starts: Uint32Array.from([0, 3, 5, 6, 6, 7]),
  targets: Uint32Array.from([1, 2, 3, 0, 2, 3, 3]),
  first: Float32Array.from([0.5, 0.25, 1, 0.25, 0.5, -1, 0.75]),
  second: new Float32Array(7)
}

/** A history of which only what comes next counts. */
export const history = (items: number[], next: number[] = items.map(() => 1)) => ({ items, next, liked: items.map(() => 0) })

/** Four items. On each side, one of the first two says more for the third or the fourth. */
export const twoSided = {
  starts: Uint32Array.of(0, 2, 4, 4, 4),
  targets: Uint32Array.of(2, 3, 2, 3),
  first: Float32Array.of(1, 0, 0, 1),
  second: Float32Array.of(0, 4, 4, 0)
}
