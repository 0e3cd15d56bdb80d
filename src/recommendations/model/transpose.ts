import { startsOf } from './interactions.js'

/** A sparse matrix, row by row. */
interface SparseMatrix<Weights extends Float32Array | undefined> {
  starts: Uint32Array
  targets: Uint32Array
  weights: Weights
}

/** Swaps rows and columns. The targets of each new row are sorted, whatever their order was before. */
export const transposed = <Weights extends Float32Array | undefined>(
  { starts, targets, weights }: SparseMatrix<Weights>,
  columnCount: number
): SparseMatrix<Weights> => {
  const columns = startsOf(targets, columnCount)
  const ends = columns.slice()
  const sources = new Uint32Array(targets.length)
  const moved = weights && new Float32Array(targets.length)
  for (let row = 0; row < starts.length - 1; row++) {
    const end = starts[row + 1] as number
    for (let at = starts[row] as number; at < end; at++) {
      const column = targets[at] as number
      const to = ends[column] as number
      sources[to] = row
      if (moved && weights) moved[to] = weights[at] as number
      ends[column] = to + 1
    }
  }
  return { starts: columns, targets: sources, weights: moved as Weights }
}
