import type { Test } from './selection.js'

type Key = string | number | null

/** A column of values that many rows share: each value is kept once, and a row holds its number. */
export class Coded<Value> {
  private readonly values: Value[] = []
  private readonly numbers = new Map<Key, number>()
  private column = new Int32Array(256)

  /** How many values there have ever been. */
  get size() {
    return this.values.length
  }

  get(row: number) {
    return this.values[this.column[row] as number] as Value
  }

  has(key: Key) {
    return this.numbers.has(key)
  }

  /** `key` tells the value from all others. Returns the number of the value where no row had it before. */
  set(row: number, key: Key, value: Value) {
    const known = this.numbers.get(key)
    const number = known ?? this.values.push(value) - 1
    this.numbers.set(key, number)
    if (row >= this.column.length) {
      const grown = new Int32Array(Math.ceil(row * 1.25) + 256)
      grown.set(this.column)
      this.column = grown
    }
    this.column[row] = number
    return known === undefined ? number : undefined
  }

  /** Passes the rows with any of these values. */
  anyOf(keys: readonly Key[]): Test {
    const marks = new Uint8Array(this.size)
    for (const key of keys) {
      const number = this.numbers.get(key)
      if (number !== undefined) marks[number] = 1
    }
    return { numbers: this.column, marks }
  }
}
