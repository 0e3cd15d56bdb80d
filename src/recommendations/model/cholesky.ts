/** Lower bound of the pivots, so that a nearly singular matrix can be solved despite rounding errors. */
const smallestPivot = 1e-9

const inverseRoot = (pivot: number) => 1 / Math.sqrt(Math.max(pivot, smallestPivot))

/**
 * Solves `matrix x = right` by Cholesky decomposition and stores x in `right`. The matrix is symmetric, positive definite and of
 * even size; its lower half is read and overwritten. Works on blocks of 2 x 2, so that each number loaded is used twice.
 */
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
