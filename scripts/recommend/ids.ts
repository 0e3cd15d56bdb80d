/** Numbers ids from 0, in the order of their first appearance. */
export class Ids {
  private readonly numbers = new Map<string, number>()
  readonly names: string[] = []

  number(id: string) {
    const known = this.numbers.get(id)
    if (known !== undefined) return known
    // A copy, because a substring would keep the whole string in memory.
    const name = Buffer.from(id).toString()
    const number = this.names.length
    this.numbers.set(name, number)
    this.names.push(name)
    return number
  }
}
