import { Table } from '../reading/table.js'

/**
 * Which records say anew what an earlier one of the run says of the same pair and moment. Of those the last one counts;
 * to write the others too would change the document with every run. It knows so only of the newest moment of each pair,
 * for what is older changes nothing once the newest is written.
 */
export class Repetitions {
  private readonly newest = new Table(2, 2)
  private readonly replaced = new Table(1)

  add(pair: readonly [number, number], moment: number, place: number) {
    if (this.newest.add(pair, moment, place)) return
    const known = this.newest.get(0, ...pair) as number
    if (moment < known) return
    if (moment === known) this.replaced.add([this.newest.get(1, ...pair) as number])
    this.newest.set(0, moment, ...pair)
    this.newest.set(1, place, ...pair)
  }

  isReplaced(place: number) {
    return this.replaced.has(place)
  }
}
