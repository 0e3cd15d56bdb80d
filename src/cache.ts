import { LRUCache } from 'lru-cache'

/** A cache with a bound in bytes, keys included. Evicts the least recently used. */
export class Cache<Key extends string | number, Value extends object | string | number> extends LRUCache<Key, Value> {
  /** `sizeOf` returns the bytes of a value. */
  constructor(bound: number, sizeOf: (value: Value) => number) {
    super({ maxSize: bound, sizeCalculation: (value, key) => entrySize(key) + sizeOf(value) })
    trackMemory(this)
  }

  /** Bytes of all values and keys. */
  get weight() {
    return this.calculatedSize
  }
}

/** A bounded store in memory. Its weight is roughly its size in bytes. */
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
