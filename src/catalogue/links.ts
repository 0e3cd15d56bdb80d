import { type RowFilter, roomFor } from './columns.js'

const none = -1

/**
 * Which people each row names, and which rows name a person. There may be millions of links, so each is a number in columns: those of a row
 * follow each other, and those of a person are chained.
 */
export class Links {
  private readonly numbers = new Map<number, number>()
  /** The ids of people by number. */
  private readonly ids: number[] = []
  /** The first link of each row that has any. */
  private readonly first = new Map<number, number>()
  /** The latest link of each person. */
  private latest = new Int32Array(0)
  // By link.
  private people = new Int32Array(0)
  private rows = new Int32Array(0)
  /** The link of the same person before. */
  private before = new Int32Array(0)
  /** The number of links, with those that rows have no more. */
  size = 0

  has(id: number) {
    return this.numbers.has(id)
  }

  set(row: number, ids: readonly number[]) {
    const distinct = [...new Set(ids)]
    if (distinct.join() === this.of(row).join()) return
    for (const link of this.linksOf(row)) this.rows[link] = none
    if (distinct.length > 0) this.first.set(row, this.size)
    else this.first.delete(row)
    for (const id of distinct) this.add(row, this.numberOf(id))
  }

  /** The people that a row names. */
  of(row: number) {
    return this.linksOf(row).map(link => this.ids[this.people[link] as number] as number)
  }

  /** The rows that name a person. */
  *rowsOf(id: number): Generator<number> {
    const { latest, rows, before } = this
    const number = this.numbers.get(id)
    for (let link = number === undefined ? none : (latest[number] as number); link !== none; link = before[link] as number)
      if (rows[link] !== none) yield rows[link] as number
  }

  /** Of `count` rows, passes those that name any of these people. */
  anyOf(ids: readonly number[], count: number): RowFilter {
    const marks = new Uint8Array(count)
    for (const id of ids) for (const row of this.rowsOf(id)) marks[row] = 1
    return { column: Int32Array.from(marks, (_, row) => row), marks }
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
    this.people = roomFor(this.people, link)
    this.rows = roomFor(this.rows, link)
    this.before = roomFor(this.before, link)
    this.people[link] = person
    this.rows[link] = row
    this.before[link] = this.latest[person] as number
    this.latest[person] = link
  }

  private linksOf(row: number) {
    const links: number[] = []
    for (let link = this.first.get(row) ?? this.size; link < this.size && this.rows[link] === row; link++) links.push(link)
    return links
  }
}
