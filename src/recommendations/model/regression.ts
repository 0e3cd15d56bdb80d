import { type Neighbours, reversed } from './neighbours.js'

/** A regression of each item on its neighbourhood, without the penalty. */
export interface Equations {
  /** For each item, the items that it is regressed on. The weights are the right side of its equations. */
  near: Neighbours
  gram: Gram
}

/** Writes the co-views of all pairs of the items into the lower half of a matrix of `size` columns, and their views into its diagonal. */
export type Gram = (items: Uint32Array, matrix: Float64Array, size: number) => void

/** Solves the regression of every item. The row of an item in the result has the items that it helps to predict. */
export const solved = ({ near, gram }: Equations, lambda: number): Neighbours => {
  const itemCount = near.starts.length - 1
  const widest = widestOf(near)
  const matrix = new Float64Array(widest * widest)
  const right = new Float64Array(widest)
  const weights = new Float32Array(near.targets.length)

  for (let item = 0; item < itemCount; item++) {
    const from = near.starts[item] as number
    const to = near.starts[item + 1] as number
    const count = to - from
    const size = count + (count % 2)
    gram(near.targets.subarray(from, to), matrix, size)
    for (let at = 0; at < count; at++) {
      const place = at * size + at
      matrix[place] = (matrix[place] as number) + lambda
      right[at] = near.weights[from + at] as number
    }
    if (size > count) {
      matrix.fill(0, count * size, size * size - 1)
      matrix[size * size - 1] = 1
      right[count] = 0
    }
    solve(matrix, size, right)
    for (let at = 0; at < count; at++) weights[from + at] = right[at] as number
  }
  return reversed({ starts: near.starts, targets: near.targets, weights })
}

const widestOf = ({ starts }: Neighbours) => {
  let widest = 0
  for (let row = 1; row < starts.length; row++) widest = Math.max(widest, (starts[row] as number) - (starts[row - 1] as number))
  return widest + (widest % 2)
}

/** Lower bound of the pivots, so that a nearly singular matrix can be solved despite rounding errors. */
const smallestPivot = 1e-9

const inverseRoot = (pivot: number) => 1 / Math.sqrt(Math.max(pivot, smallestPivot))

/** Solves `matrix x = right` by Cholesky decomposition into `right`, in blocks of 2 x 2. Needs an even size, overwrites the lower half. */
export const solve = (matrix: Float64Array, size: number, right: Float64Array) => {
  for (let i = 0; i < size; i += 2) {
    const a = i * size
    const b = a + size
    for (let j = 0; j < i; j += 2) {
      const c = j * size
      const d = c + size
      let ac = matrix[a + j] as number
      let ad = matrix[a + j + 1] as number
      let bc = matrix[b + j] as number
      let bd = matrix[b + j + 1] as number
      for (let k = 0; k < j; k++) {
        const x = matrix[a + k] as number
        const y = matrix[b + k] as number
        const z = matrix[c + k] as number
        const w = matrix[d + k] as number
        ac -= x * z
        ad -= x * w
        bc -= y * z
        bd -= y * w
      }
      const cc = matrix[c + j] as number
      const dc = matrix[d + j] as number
      const dd = matrix[d + j + 1] as number
      ac *= cc
      bc *= cc
      matrix[a + j] = ac
      matrix[a + j + 1] = (ad - ac * dc) * dd
      matrix[b + j] = bc
      matrix[b + j + 1] = (bd - bc * dc) * dd
    }
    let aa = matrix[a + i] as number
    let ba = matrix[b + i] as number
    let bb = matrix[b + i + 1] as number
    for (let k = 0; k < i; k++) {
      const x = matrix[a + k] as number
      const y = matrix[b + k] as number
      aa -= x * x
      ba -= x * y
      bb -= y * y
    }
    // The diagonal holds inverses, because multiplying is faster than dividing.
    aa = inverseRoot(aa)
    ba *= aa
    matrix[a + i] = aa
    matrix[b + i] = ba
    matrix[b + i + 1] = inverseRoot(bb - ba * ba)
  }

  for (let i = 0; i < size; i++) {
    let sum = right[i] as number
    for (let k = 0; k < i; k++) sum -= (matrix[i * size + k] as number) * (right[k] as number)
    right[i] = sum * (matrix[i * size + i] as number)
  }
  for (let i = size - 1; i >= 0; i--) {
    const solved = (right[i] as number) * (matrix[i * size + i] as number)
    right[i] = solved
    for (let k = 0; k < i; k++) right[k] = (right[k] as number) - (matrix[i * size + k] as number) * solved
  }
}
