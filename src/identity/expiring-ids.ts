import { Table } from '../table.js'

const tableCount = 256

const uuid = /^([0-9a-f]{8})-([0-9a-f]{4})-[0-9a-f]{4}-[0-9a-f]{4}-([0-9a-f]{12})$/

/**
 * A set of random UUIDs, each kept until a time. A million take 50 MB, not the 150 MB of a Map. Many small tables, because growing a large
 * one would block the event loop.
 */
export class ExpiringIds {
  size = 0
  private readonly tables = Array.from({ length: tableCount }, () => new Table(2, 1))
  private nextSwept = 0

  has(id: string) {
    const key = keyOf(id)
    return key !== undefined && this.tableFor(key).has(...key)
  }

  /** `until` is in seconds since 1970. A known id is kept until the later of the two times. A string that is not a UUID is ignored. */
  add(id: string, until: number) {
    const key = keyOf(id)
    if (!key) return
    const table = this.tableFor(key)
    if (table.add(key, until)) this.size++
    else table.set(0, Math.max(until, table.get(0, ...key) as number), ...key)
  }

  /** Removes ids that have expired, from the next `count` of the 256 parts of the set. */
  sweep(now: number, count = tableCount) {
    for (let i = 0; i < count; i++) {
      this.size -= (this.tables[this.nextSwept] as Table).removeUpTo(now)
      this.nextSwept = (this.nextSwept + 1) % tableCount
    }
  }

  private tableFor([, lower]: readonly [number, number]) {
    return this.tables[lower % tableCount] as Table
  }
}

/** The first and last 48 bits, which are random enough to identify an id. Undefined for a string that is not a UUID. */
const keyOf = (id: string) => {
  const [, a, b, c] = uuid.exec(id) ?? []
  return c === undefined ? undefined : ([Number.parseInt(`${a}${b}`, 16), Number.parseInt(c, 16)] as const)
}
