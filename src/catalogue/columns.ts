import type { PageQuery } from '../../schemas/page.js'

type Key = string | number | null

/** The column itself, or a copy that is long enough for the index `at`. */
export const roomFor = <Column extends Int32Array | Float64Array>(column: Column, at: number): Column => {
  if (at < column.length) return column
  const grown = new (column.constructor as new (length: number) => Column)(Math.ceil(at * 1.25) + 256)
  grown.set(column)
  return grown
}

/** A dictionary-encoded column: stores each distinct value once, and its number in each row. */
export class DictionaryColumn<Value> {
  private readonly values: Value[] = []
  private readonly numbers = new Map<Key, number>()
  private column = new Int32Array(256)

  /** Includes values that no row has any longer. */
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
    this.column = roomFor(this.column, row)
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

/** A column of numbers or null. */
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
    this.values = roomFor(this.values, row)
    this.values[row] = value ?? Number.NaN
  }
}

/** A row passes if `marks[column[row]]` is 1. That is one lookup, however many values are wanted. */
export interface RowFilter {
  column: Int32Array
  marks: Uint8Array
}

/** The number of each row is the row itself. All filters share it, and it grows. */
const numbers: { column: Int32Array } = { column: new Int32Array(0) }

/** Passes rows that are marked. */
export const markedRows = (marks: Uint8Array): RowFilter => {
  if (numbers.column.length < marks.length) numbers.column = Int32Array.from({ length: marks.length }, (_, row) => row)
  return { column: numbers.column, marks }
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

/** The rows that have a rank, in the order of their ranks (a counting sort). */
export const ranked = (rows: ArrayLike<number>, ranks: Uint8Array) => {
  const starts = new Uint32Array(257)
  const add = (at: number, count: number) => {
    const before = starts[at] as number
    starts[at] = before + count
    return before
  }
  for (let i = 0; i < rows.length; i++) add((ranks[rows[i] as number] ?? 0) + 1, 1)
  for (let rank = 1; rank < starts.length; rank++) add(rank, starts[rank - 1] as number)
  const unranked = starts[1] as number
  const sorted = new Int32Array(rows.length)
  for (let i = 0; i < rows.length; i++) sorted[add(ranks[rows[i] as number] ?? 0, 1)] = rows[i] as number
  return sorted.subarray(unranked)
}

/** Makes equivalent filters equal: sorts the values, and drops duplicates and values that no row has. */
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
