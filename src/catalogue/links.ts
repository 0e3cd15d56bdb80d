import { markedRows, type RowFilter, roomFor } from './columns.js'

const none = -1

/**
 * Which people each row names, and which rows name a person. There may be millions of links, so each is a number in columns: the links of a
 * row are adjacent, and those of a person are a linked list.
 */
export class Links {
  private readonly numbers = new Map<number, number>()
  /** The ids of people by number. */
  private readonly ids: number[] = []
  /** The first link of each row that has any. */
  private readonly first = new Map<number, number>()
  /** The latest link of each person. */
  private latest = new Int32Array(0)
  // Indexed by link.
  private targets = new Int32Array(0)
  private rows = new Int32Array(0)
  /** The previous link of the same person. */
  private before = new Int32Array(0)
  /** The number of links, including those that rows no longer have. */
  size = 0

  has(id: number) {
    return this.numbers.has(id)
  }

  set(row: number, ids: readonly number[]) {
    const distinct = [...new Set(ids)]
    if (distinct.join() === this.of(row).join()) return
    this.drop(row)
    if (distinct.length > 0) this.first.set(row, this.size)
    for (const id of distinct) this.add(row, this.numberOf(id))
  }

  /** How many people have been named. They are numbered from 0. */
  get people() {
    return this.ids.length
  }

  number(id: number) {
    return this.numbers.get(id)
  }

  of(row: number) {
    const ids: number[] = []
    this.eachPerson(row, person => ids.push(this.ids[person] as number))
    return ids
  }

  /** Calls `visit` with the number of each person that a row names. */
  eachPerson(row: number, visit: (person: number) => void) {
    const { first, rows, targets, size } = this
    for (let link = first.get(row) ?? size; link < size && rows[link] === row; link++) visit(targets[link] as number)
  }

  /** Calls `visit` with each row that names a person. A generator would take several times as long. */
  eachRow(id: number, visit: (row: number) => void) {
    const { latest, rows, before } = this
    const number = this.numbers.get(id)
    for (let link = number === undefined ? none : (latest[number] as number); link !== none; link = before[link] as number)
      if (rows[link] !== none) visit(rows[link] as number)
  }

  /**
   * Calls `visit` with each link from `first` on, up to but not including `end`. For many people at once, this is faster than `eachRow`.
   */
  eachLink(first: number, end: number, visit: (row: number, person: number) => void) {
    const { rows, targets } = this
    for (let link = first; link < Math.min(end, this.size); link++)
      if (rows[link] !== none) visit(rows[link] as number, targets[link] as number)
  }

  /** Passes rows that name any of these people. There are `count` rows. */
  anyOf(ids: readonly number[], count: number): RowFilter {
    const marks = new Uint8Array(count)
    for (const id of ids)
      this.eachRow(id, row => {
        marks[row] = 1
      })
    return markedRows(marks)
  }

  private numberOf(id: number) {
    const known = this.numbers.get(id)
    if (known !== undefined) return known
    const number = this.ids.push(id) - 1
    this.numbers.set(id, number)
    this.latest = roomFor(this.latest, number)
    this.latest[number] = none
    return number
  }

  private add(row: number, person: number) {
    const link = this.size++
    this.targets = roomFor(this.targets, link)
    this.rows = roomFor(this.rows, link)
    this.before = roomFor(this.before, link)
    this.targets[link] = person
    this.rows[link] = row
    this.before[link] = this.latest[person] as number
    this.latest[person] = link
  }

  private drop(row: number) {
    const { first, rows, size } = this
    for (let link = first.get(row) ?? size; link < size && rows[link] === row; link++) rows[link] = none
    first.delete(row)
  }
}
