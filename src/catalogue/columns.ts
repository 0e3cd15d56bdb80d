import type { PageQuery } from '../../schemas/page.js'

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

/** A row passes if `marks[column[row]]` is 1. That is one lookup, however many values are wanted. */
export interface RowFilter {
  column: Int32Array
  marks: Uint8Array
}

export interface Selection {
  shown: number[]
  /** The number of rows on all pages. */
  total: number
}

export const passes = (filters: readonly RowFilter[], row: number) => {
  for (const { column, marks } of filters) if (marks[column[row] as number] !== 1) return false
  return true
}

/** One page of the rows that pass every filter. Counts the other rows instead of collecting them, because they may be many. */
export const select = (rows: ArrayLike<number>, filters: readonly RowFilter[], { page, perPage }: PageQuery): Selection => {
  const first = (page - 1) * perPage
  const shown: number[] = []
  if (filters.length === 0) {
    for (let i = first; i < rows.length && shown.length < perPage; i++) shown.push(rows[i] as number)
    return { shown, total: rows.length }
  }
  let total = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number
    if (!passes(filters, row)) continue
    if (total >= first && shown.length < perPage) shown.push(row)
    total++
  }
  return { shown, total }
}

/** Makes equivalent filters equal: sorts the values and drops duplicates and values that nothing has. */
export const distinct = <Value>(values: Value[] | undefined, exists: (value: Value) => boolean) =>
  values && [...new Set(values)].filter(exists).sort()

/** A binary search for the first of `count` numbers that passes. All after it must pass, too. Returns `count` if none does. */
export const firstWhere = (count: number, isTrue: (n: number) => boolean) => {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isTrue(middle)) high = middle
    else low = middle + 1
  }
  return low
}
