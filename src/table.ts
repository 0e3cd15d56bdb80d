import { createHash } from 'node:crypto'

const fewestSlots = 16

/** Rows of numbers by one or two integers from 0, in one typed array: a million ids take 16 MB instead of the 50 MB of a Map. */
export class Table {
  private rows = 0
  private slots = fewestSlots
  private cells: Float64Array
  private readonly width: number

  constructor(
    private readonly keys: 1 | 2,
    columns = 0
  ) {
    this.width = keys + columns
    this.cells = new Float64Array(this.slots * this.width)
  }

  has(a: number, b = 0) {
    return this.cells[this.find(a, b)] !== 0
  }

  get(column: number, a: number, b = 0): number | undefined {
    const at = this.find(a, b)
    return this.cells[at] === 0 ? undefined : this.cells[at + this.keys + column]
  }

  /** Returns whether the key is new. Does not change an existing row. */
  add(key: readonly [number, number?], ...values: number[]) {
    const [a, b = 0] = key
    const at = this.find(a, b)
    if (this.cells[at] !== 0) return false
    this.cells[at] = a + 1
    if (this.keys === 2) this.cells[at + 1] = b
    for (const [column, value] of values.entries()) this.cells[at + this.keys + column] = value
    if (++this.rows > this.slots * 0.75) this.moveTo(this.slots * 2, () => true)
    return true
  }

  set(column: number, value: number, a: number, b = 0) {
    this.cells[this.find(a, b) + this.keys + column] = value
  }

  /** The first key and the first value of all rows, in no particular order. */
  *pairs(): Generator<[number, number]> {
    for (let start = 0; start < this.cells.length; start += this.width) {
      const key = this.cells[start] as number
      if (key !== 0) yield [key - 1, this.cells[start + this.keys] as number]
    }
  }

  /** Removes the rows whose first value is not above `limit`, and returns their number. */
  removeUpTo(limit: number) {
    let kept = 0
    for (const [, value] of this.pairs()) if (value > limit) kept++
    const removed = this.rows - kept
    if (removed === 0) return 0
    this.rows = kept
    let slots = fewestSlots
    while (kept > slots / 2) slots *= 2
    this.moveTo(slots, value => value > limit)
    return removed
  }

  /** Where the row of the key starts, or a free slot for it. A free slot starts with 0, so keys are stored plus one. */
  private find(a: number, b: number) {
    let slot = hashOf(a, b) % this.slots
    for (;;) {
      const at = slot * this.width
      const found = this.cells[at]
      if (found === 0 || (found === a + 1 && (this.keys === 1 || this.cells[at + 1] === b))) return at
      slot = slot + 1 === this.slots ? 0 : slot + 1
    }
  }

  /** Moves the rows that are kept to a new array. */
  private moveTo(slots: number, isKept: (value: number) => boolean) {
    const { cells, width } = this
    this.slots = slots
    this.cells = new Float64Array(slots * width)
    for (let from = 0; from < cells.length; from += width) {
      const key = cells[from] as number
      if (key === 0 || !isKept(cells[from + this.keys] as number)) continue
      const to = this.find(key - 1, this.keys === 2 ? (cells[from + 1] as number) : 0)
      for (let column = 0; column < width; column++) this.cells[to + column] = cells[from + column] as number
    }
  }
}

const upper = (value: number) => Math.floor(value / 2 ** 32)

const hashOf = (a: number, b: number) => {
  let hash = Math.imul(a | 0, 0x9e3779b1) ^ Math.imul(upper(a) | 0, 0x85ebca6b)
  hash = Math.imul(hash ^ (b | 0), 0xc2b2ae35) ^ upper(b)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** A key for strings of any length: 96 bits of a hash, which fit into two numbers. */
export const textKey = (...texts: string[]) => {
  const hash = createHash('sha256').update(JSON.stringify(texts)).digest()
  return [hash.readUIntBE(0, 6), hash.readUIntBE(6, 6)] as const
}
