/** A column of numbers, in which null takes no more memory than a number. */
export class NumberColumn {
  private values = new Float64Array(256)

  get(row: number): number | null {
    const value = this.raw(row)
    return Number.isNaN(value) ? null : value
  }

  /** NaN for null, so that every comparison with it is false. */
  raw(row: number): number {
    return this.values[row] as number
  }

  set(row: number, value: number | null) {
    if (row >= this.values.length) {
      const grown = new Float64Array(Math.ceil(row * 1.25) + 256)
      grown.set(this.values)
      this.values = grown
    }
    this.values[row] = value ?? Number.NaN
  }
}
