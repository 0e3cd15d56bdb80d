const shardCount = 256
const fewestSlots = 16
/** The four parts of an id, and the second until which it is kept. 0 marks a free slot. */
const width = 5
const lifeAt = 4

/** An open-addressing hash table in one typed array. */
class Shard {
  count = 0
  private cells = new Uint32Array(fewestSlots * width)

  get(id: Uint32Array) {
    return this.cells[this.find(id) + lifeAt] as number
  }

  /** Returns whether the id is new. A known id is kept until the later of the two times. */
  add(id: Uint32Array, until: number) {
    const at = this.find(id)
    const known = this.cells[at + lifeAt] as number
    this.cells.set(id, at)
    this.cells[at + lifeAt] = Math.max(known, until)
    if (known !== 0) return false
    this.count++
    if (this.count * width > this.cells.length * 0.75) this.rebuild(this.count, 0)
    return true
  }

  /** Removes the ids that have expired, and returns their number. */
  sweep(now: number) {
    const before = this.count
    let count = 0
    for (let at = lifeAt; at < this.cells.length; at += width) if ((this.cells[at] as number) > now) count++
    if (count < before) this.rebuild(count, now)
    return before - count
  }

  /** Moves the ids that have not expired to a new table with room for twice as many. */
  private rebuild(count: number, now: number) {
    const old = this.cells
    let slots = fewestSlots
    while (slots < count * 2) slots *= 2
    this.cells = new Uint32Array(slots * width)
    this.count = count
    for (let from = 0; from < old.length; from += width) {
      if ((old[from + lifeAt] as number) <= now) continue
      const row = old.subarray(from, from + width)
      this.cells.set(row, this.find(row))
    }
  }

  /** Where the row of the id starts, or its free slot. Random ids need no hash. */
  private find(id: Uint32Array) {
    const { cells } = this
    let at = ((id[0] as number) % (cells.length / width)) * width
    for (;;) {
      if (cells[at + lifeAt] === 0) return at
      if (cells[at] === id[0] && cells[at + 1] === id[1] && cells[at + 2] === id[2] && cells[at + 3] === id[3]) return at
      at += width
      if (at === cells.length) at = 0
    }
  }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const hyphen = 0x2d
/** The letters of hexadecimal digits come this much later than the digits. */
const letterOffset = 0x61 - 0x30 - 10

/** A set of random UUIDs, each kept until a time. A million take 42 MB, not the 150 MB of a Map. Small tables grow without a long stop. */
export class ExpiringIds {
  size = 0
  private readonly shards = Array.from({ length: shardCount }, () => new Shard())
  private readonly parts = new Uint32Array(4)
  private nextSwept = 0

  has(id: string) {
    return this.read(id) && this.shard.get(this.parts) !== 0
  }

  /** `until` is in seconds since 1970. A text that is no UUID is ignored. */
  add(id: string, until: number) {
    if (this.read(id) && this.shard.add(this.parts, until)) this.size++
  }

  /** Removes ids that have expired, from the next `count` of the 256 parts of the set. */
  sweep(now: number, count = shardCount) {
    for (let i = 0; i < count; i++) {
      this.size -= (this.shards[this.nextSwept] as Shard).sweep(now)
      this.nextSwept = (this.nextSwept + 1) % shardCount
    }
  }

  private get shard() {
    return this.shards[(this.parts[3] as number) % shardCount] as Shard
  }

  private read(id: string) {
    if (!uuid.test(id)) return false
    let digits = 0
    let bits = 0
    for (let i = 0; i < id.length; i++) {
      const code = id.charCodeAt(i)
      if (code === hyphen) continue
      bits = (bits << 4) | (code - 0x30 - (code > 0x60 ? letterOffset : 0))
      if (++digits % 8 === 0) this.parts[digits / 8 - 1] = bits
    }
    return true
  }
}
