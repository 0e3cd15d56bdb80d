/** A typed array that grows. A plain array of ten million numbers would take eight times the memory. */
export class Growing<T extends Uint16Array | Uint32Array | Float32Array | Float64Array> {
  size = 0

  constructor(private values: T) {}

  push(value: number) {
    if (this.size === this.values.length) {
      const grown = new (this.values.constructor as new (size: number) => T)(Math.ceil(this.size * 1.5))
      grown.set(this.values)
      this.values = grown
    }
    this.values[this.size++] = value
  }

  get all() {
    return this.values.subarray(0, this.size) as T
  }
}

/** Where each of `count` groups begins when the keys are sorted, and where the last one ends. */
export const startsOf = (keys: Uint32Array, count: number) => {
  const starts = new Uint32Array(count + 1)
  for (const key of keys) starts[key + 1] = (starts[key + 1] as number) + 1
  for (let at = 0; at < count; at++) starts[at + 1] = (starts[at + 1] as number) + (starts[at] as number)
  return starts
}

/** The positions of the keys, grouped by key and ascending in each group. */
export const grouped = (keys: Uint32Array, count: number) => {
  const starts = startsOf(keys, count)
  const ends = starts.slice()
  const positions = new Uint32Array(keys.length)
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as number
    const to = ends[key] as number
    positions[to] = at
    ends[key] = to + 1
  }
  return { starts, positions }
}

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
