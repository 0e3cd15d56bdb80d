import { Table } from '../table.js'

/**
 * Finds the records that a later record of the run replaces, because it has the same user, content and moment. Writing both
 * would change the document on every run. Older moments of a pair need no check, because writing them changes nothing.
 */
export class SupersededRecords {
  private readonly newest = new Table(2, 2)
  private readonly superseded = new Table(1)

  add(pair: readonly [number, number], moment: number, place: number) {
    if (this.newest.add(pair, moment, place)) return
    const known = this.newest.get(0, ...pair) as number
    if (moment < known) return
    if (moment === known) this.superseded.add([this.newest.get(1, ...pair) as number])
    this.newest.set(0, moment, ...pair)
    this.newest.set(1, place, ...pair)
  }

  isSuperseded(place: number) {
    return this.superseded.has(place)
  }
}
