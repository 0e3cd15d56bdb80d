import type { RowFilter } from './selection.js'

type Key = string | number | null

/** A dictionary-encoded column: stores each distinct value once, and its number in each row. */
export class DictionaryColumn<Value> {
  private readonly values: Value[] = []
  private readonly numbers = new Map<Key, number>()
  private column = new Int32Array(256)

  /** Includes values that no row has any more. */
  get size() {
    return this.values.length
  }

  get(row: number) {
    return this.values[this.number(row)] as Value
  }

  /** The number of the row's value, below `size`. */
  number(row: number) {
    return this.column[row] as number
  }

  has(key: Key) {
    return this.numbers.has(key)
  }

  /** `key` identifies the value. Returns the value's number if it is new. */
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

  /** Passes rows that have any of these values. */
  anyOf(keys: readonly Key[]): RowFilter {
    const marks = new Uint8Array(this.size)
    for (const key of keys) {
      const number = this.numbers.get(key)
      if (number !== undefined) marks[number] = 1
    }
    return { column: this.column, marks }
  }
}
