/** Values up to a weight of all together; the one that was not asked for longest goes first. */
export class Kept<Key, Value> {
  private readonly values = new Map<Key, Value>()
  /** Of all values together. */
  weight = 0

  constructor(
    private readonly bound: number,
    private readonly weigh: (value: Value, key: Key) => number
  ) {}

  get(key: Key): Value | undefined {
    const value = this.values.get(key)
    if (value === undefined) return undefined
    // To the end of the map, whose order is that of the last questions.
    this.values.delete(key)
    this.values.set(key, value)
    return value
  }

  put(key: Key, value: Value) {
    this.drop(key)
    this.values.set(key, value)
    this.weight += this.weigh(value, key)
    for (const oldest of this.values.keys()) {
      if (this.weight <= this.bound) break
      this.drop(oldest)
    }
  }

  drop(key: Key) {
    const value = this.values.get(key)
    if (value === undefined) return
    this.values.delete(key)
    this.weight -= this.weigh(value, key)
  }

  clear() {
    this.values.clear()
    this.weight = 0
  }
}
