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

/** A bounded store in memory. Its weight is about the number of bytes that it takes. */
interface Store {
  readonly weight: number
}

/** Weak, so that a store is collected with the app that used it. */
const stores = new Set<WeakRef<Store>>()

const living = () =>
  [...stores].flatMap(reference => {
    const store = reference.deref()
    if (!store) stores.delete(reference)
    return store ?? []
  })

/** Adds a store to `trackedBytes`. */
export const trackMemory = (store: Store) => {
  living()
  stores.add(new WeakRef(store))
}

/** The weight of all tracked stores, for the metrics. */
export const trackedBytes = () => living().reduce((sum, { weight }) => sum + weight, 0)

/** Bytes of a map entry with a small object in it. */
const baseSize = 120

/** Bytes of a map entry with its key. A character takes at most two. */
export const entrySize = (key: string | number) => baseSize + (typeof key === 'string' ? key.length * 2 : 0)

/** A copy with memory of its own. In V8 a substring, such as a part of a header, keeps its whole parent alive. */
export const copyText = (text: string) => ` ${text}`.slice(1)
