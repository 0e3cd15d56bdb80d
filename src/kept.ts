/** Something that is kept in memory up to a bound, and what it weighs: about as many bytes as it takes. */
interface Store {
  readonly weight: number
}

/** Every store of this process, for as long as anybody uses it. */
const stores = new Set<WeakRef<Store>>()

const living = () =>
  [...stores].flatMap(reference => {
    const store = reference.deref()
    if (!store) stores.delete(reference)
    return store ?? []
  })

/** Counts a store among those whose sum the metrics show. */
export const addStore = (store: Store) => {
  living()
  stores.add(new WeakRef(store))
}

/** What all stores of this process weigh together. */
export const keptBytes = () => living().reduce((sum, { weight }) => sum + weight, 0)

/** A place in a map with a small object in it. */
const placeSize = 120

/** What a place in a map takes with its key, whose characters take two bytes at most. */
export const sizeOfPlace = (key: string | number) => placeSize + (typeof key === 'string' ? key.length * 2 : 0)

/** A text that shares no memory: a part of another text, a header for example, keeps all of it. */
export const ownText = (text: string) => ` ${text}`.slice(1)

interface Entry<Value> {
  value: Value
  weight: number
  /** Since it was last passed over. */
  isAskedFor: boolean
}

/**
 * Values up to a weight of all together, in bytes and with their keys; what nobody asked for goes first. A question only leaves
 * a mark: if it moved its value to the end of the map, the table of the map would be garbage again and again, an eighth of what
 * lists of history left behind.
 */
export class Kept<Key extends string | number, Value> {
  private readonly entries = new Map<Key, Entry<Value>>()
  /** Of all values and their keys together. */
  weight = 0

  /** `sizeOf` gives the bytes of a value. */
  constructor(
    private readonly bound: number,
    private readonly sizeOf: (value: Value) => number
  ) {
    addStore(this)
  }

  get(key: Key): Value | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    entry.isAskedFor = true
    return entry.value
  }

  put(key: Key, value: Value) {
    this.drop(key)
    const weight = sizeOfPlace(key) + this.sizeOf(value)
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
