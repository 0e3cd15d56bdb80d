interface Entry<Value> {
  value: Value
  weight: number
  /** Since it was last passed over. */
  isAskedFor: boolean
}

/**
 * Values up to a weight of all together; what nobody asked for goes first. A question only leaves a mark: if it moved its value
 * to the end of the map, the table of the map would be garbage again and again, an eighth of what lists of history left behind.
 */
export class Kept<Key, Value> {
  private readonly entries = new Map<Key, Entry<Value>>()
  /** Of all values together. */
  weight = 0

  constructor(
    private readonly bound: number,
    private readonly weigh: (value: Value, key: Key) => number
  ) {}

  get(key: Key): Value | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    entry.isAskedFor = true
    return entry.value
  }

  put(key: Key, value: Value) {
    this.drop(key)
    const weight = this.weigh(value, key)
    if (weight > this.bound) return
    for (const [oldest, entry] of this.entries) {
      if (this.weight + weight <= this.bound) break
      this.drop(oldest)
      // To the end of the map, where it is met again without its mark.
      if (entry.isAskedFor) this.add(oldest, { ...entry, isAskedFor: false })
    }
    this.add(key, { value, weight, isAskedFor: false })
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
