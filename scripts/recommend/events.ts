import { isUtf8 } from 'node:buffer'
import { Faults } from '../../src/import/checking.js'
import {
  firstOf,
  Growing,
  type Interactions,
  interactionsOf,
  type Past,
  Ranker,
  type Ranking,
  type TimedEvents
} from '../../src/recommendations/model/index.js'
import { seconds, timeOf } from '../../src/time.js'

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** The maximum length of a line in bytes. */
const longest = 64 * 1024

const byteOrderMark = '\ufeff'

export interface Dataset {
  data: Interactions
  users: string[]
  items: string[]
  /** The number of lines, including repeated ones. */
  events: number
  /** The events, if they have times. */
  timed?: TimedEvents | undefined
}

/** Numbers ids from 0, in the order of their first appearance. */
class Ids {
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

/** In milliseconds. */
const millisecondsOf = (time: string) => {
  if (/^\d{1,11}$/.test(time)) return seconds(Number(time))
  return /^\d{12,15}$/.test(time) ? Number(time) : timeOf(time)
}

/** Sorts events by time. Those with the same time stay in the order of the file. */
const byTime = ({ users, items, times }: TimedEvents): TimedEvents => {
  const order = new Uint32Array(times.length).map((_, at) => at).sort((a, b) => (times[a] as number) - (times[b] as number))
  return {
    users: order.map(at => users[at] as number),
    items: order.map(at => items[at] as number),
    times: Float64Array.from(order, at => times[at] as number)
  }
}

/** Reads the events of a file, chunk by chunk. */
export class EventsReader {
  lines = 0
  private readonly faults = new Faults()
  private readonly userIds = new Ids()
  private readonly itemIds = new Ids()
  private readonly users = new Growing(new Uint32Array(1 << 16))
  private readonly items = new Growing(new Uint32Array(1 << 16))
  private readonly times = new Growing(new Float64Array(1 << 16))
  private isTimed: boolean | undefined
  private begun: Buffer = Buffer.alloc(0)

  constructor(private readonly name: string) {}

  push(chunk: Buffer) {
    let from = 0
    for (let to = chunk.indexOf(lineFeed); to !== -1; to = chunk.indexOf(lineFeed, from)) {
      this.add(this.whole(chunk.subarray(from, to)))
      from = to + 1
    }
    this.begun = this.whole(chunk.subarray(from))
    // Only as much of a line is kept as is needed to see that it is too long.
    if (this.begun.length > longest) this.begun = this.begun.subarray(0, longest + 1)
  }

  /** Returns the events, or the errors if there were any. */
  end(): Dataset | Faults {
    if (this.begun.length > 0) this.add(this.begun)
    if (this.faults.any) return this.faults
    const [users, items] = [this.userIds.names, this.itemIds.names]
    const events = { users: this.users.all, items: this.items.all }
    const timed = this.isTimed ? byTime({ ...events, times: this.times.all }) : undefined
    return { data: interactionsOf(timed ?? events, users.length, items.length), users, items, events: this.lines, timed }
  }

  private whole(rest: Buffer) {
    const { begun } = this
    if (begun.length === 0) return rest
    this.begun = Buffer.alloc(0)
    return Buffer.concat([begun, rest])
  }

  private add(bytes: Buffer) {
    this.lines++
    const fault = this.take(bytes)
    if (fault) this.faults.add(`${this.name}:${this.lines}: ${fault}`)
  }

  /** Returns the fault of the line, if any. */
  private take(bytes: Buffer) {
    if (bytes.length > longest) return 'is longer than 64 KiB'
    if (!isUtf8(bytes)) return 'is not valid UTF-8'
    const text = bytes.toString('utf8', 0, bytes.at(-1) === carriageReturn ? bytes.length - 1 : bytes.length)
    const line = this.lines === 1 && text.startsWith(byteOrderMark) ? text.slice(1) : text
    const [user = '', item, time, ...rest] = line.split('\t')
    if (item === undefined) return 'has no tab between a user and an item'
    if (rest.length > 0) return 'has more than two tabs'
    if (user.includes(',') || item.includes(',')) return 'has an id with a comma'
    if (user === '') return 'has no user before the tab'
    if (item === '') return 'has no item after the tab'
    const hasTime = time !== undefined
    this.isTimed ??= hasTime
    if (hasTime !== this.isTimed) return `has ${hasTime ? 'a' : 'no'} time, unlike the lines before it`
    if (hasTime) {
      const at = millisecondsOf(time)
      if (at === undefined) return 'has a time that is neither in whole seconds or milliseconds since 1970 nor in RFC 3339'
      this.times.push(at)
    }
    this.users.push(this.userIds.number(user))
    this.items.push(this.itemIds.number(item))
    return undefined
  }
}

/** Creates the list of a user: recommendations of the model, followed by the most popular items. */
export const listsFrom = (ranking: Ranking, popular: Uint32Array, pastFor: (user: number) => Past, count: number) => {
  const ranker = new Ranker(ranking)
  // For each item, the last user who has it in the history or in the list.
  const taken = new Uint32Array(ranking.views.length)
  return (user: number) => {
    const past = pastFor(user)
    const isFree = (item: number) => taken[item] !== user + 1
    for (let at = 0; at < past.items.length; at++) taken[past.items[at] as number] = user + 1
    const list = ranker.best(past, count, isFree).map(({ item }) => item)
    for (const item of list) taken[item] = user + 1
    return list.length === count ? list : [...list, ...firstOf(popular, count - list.length, isFree)]
  }
}
