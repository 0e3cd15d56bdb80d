import { entrySize, trackMemory } from './memory.js'

interface Entry<Value> {
  value: Value
  weight: number
  wasRead: boolean
}

/**
 * A cache with a bound in bytes, keys included. Evicts the oldest entry that was not read since the last pass (the second-chance
 * algorithm). Unlike LRU, a read moves nothing: moving entries in a Map leaves old hash tables to the garbage collector, which
 * made up an eighth of the garbage when listing histories.
 */
export class Cache<Key extends string | number, Value> {
  private readonly entries = new Map<Key, Entry<Value>>()
  /** Bytes of all values and keys. */
  weight = 0

  /** `sizeOf` returns the bytes of a value. */
  constructor(
    private readonly bound: number,
    private readonly sizeOf: (value: Value) => number
  ) {
    trackMemory(this)
  }

  get(key: Key): Value | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    entry.wasRead = true
    return entry.value
  }

  put(key: Key, value: Value) {
    this.drop(key)
    const weight = entrySize(key) + this.sizeOf(value)
    if (weight > this.bound) return
    for (const [oldest, entry] of this.entries) {
      if (this.weight + weight <= this.bound) break
      this.drop(oldest)
      // Its second chance: back to the end of the map, unmarked.
      if (entry.wasRead) this.add(oldest, { ...entry, wasRead: false })
    }
    this.add(key, { value, weight, wasRead: false })
  }

  drop(key: Key) {
    const entry = this.entries.get(key)
    if (entry === undefined) return
    this.entries.delete(key)
    this.weight -= entry.weight
  }

  clear() {
    this.entries.clear()
    this.weight = 0
  }

  private add(key: Key, entry: Entry<Value>) {
    this.entries.set(key, entry)
    this.weight += entry.weight
  }
}
