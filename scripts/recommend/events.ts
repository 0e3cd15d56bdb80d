import { isUtf8 } from 'node:buffer'
import { Faults } from '../../src/import/checking.js'
import { halfLivesOf } from '../../src/recommendations/model/hyperparameters.js'
import { firstOf, type Interactions, interactionsOf } from '../../src/recommendations/model/interactions.js'
import { historyOf, Scorer } from '../../src/recommendations/model/scorer.js'
import { Growing } from '../../src/recommendations/model/sparse-matrix.js'
import type { Model } from '../../src/recommendations/model/train.js'

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

/** Reads the events of a file, chunk by chunk. */
export class EventsReader {
  lines = 0
  private readonly faults = new Faults()
  private readonly userIds = new Ids()
  private readonly itemIds = new Ids()
  private readonly users = new Growing(new Uint32Array(1 << 16))
  private readonly items = new Growing(new Uint32Array(1 << 16))
  private begun: Buffer = Buffer.alloc(0)

  constructor(private readonly name: string) {}

  push(chunk: Buffer) {
    let from = 0
    for (let to = chunk.indexOf(lineFeed); to !== -1; to = chunk.indexOf(lineFeed, from)) {
      this.add(this.whole(chunk.subarray(from, to)))
      from = to + 1
    }
    this.begun = this.whole(chunk.subarray(from))
    // Of a line that is too long, only enough is kept to recognize it as too long.
    if (this.begun.length > longest) this.begun = this.begun.subarray(0, longest + 1)
  }

  /** Returns the events, or the errors if there were any. */
  end(): Dataset | Faults {
    if (this.begun.length > 0) this.add(this.begun)
    if (this.faults.any) return this.faults
    const [users, items] = [this.userIds.names, this.itemIds.names]
    const data = interactionsOf({ users: this.users.all, items: this.items.all }, users.length, items.length)
    return { data, users, items, events: this.lines }
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

  /** Returns what is wrong with the line, if anything. */
  private take(bytes: Buffer) {
    if (bytes.length > longest) return 'is longer than 64 KiB'
    if (!isUtf8(bytes)) return 'is not valid UTF-8'
    const text = bytes.toString('utf8', 0, bytes.at(-1) === carriageReturn ? bytes.length - 1 : bytes.length)
    const line = this.lines === 1 && text.startsWith(byteOrderMark) ? text.slice(1) : text
    const tab = line.indexOf('\t')
    if (tab === -1) return 'has no tab between a user and an item'
    if (line.includes('\t', tab + 1)) return 'has more than one tab'
    if (line.includes(',')) return 'has an id with a comma'
    if (tab === 0) return 'has no user before the tab'
    if (tab === line.length - 1) return 'has no item after the tab'
    this.users.push(this.userIds.number(line.slice(0, tab)))
    this.items.push(this.itemIds.number(line.slice(tab + 1)))
    return undefined
  }
}

interface Listing extends Pick<Model, 'links'> {
  /** All items, the most popular first. */
  popular: Uint32Array
  settings: Pick<Model['settings'], 'halfLife' | 'next'>
}

/** Creates the list of a user: recommendations of the model, followed by popular items. */
export const listsFrom = ({ links, popular, settings }: Listing, { starts, items, itemCount }: Interactions, count: number) => {
  const halfLives = halfLivesOf(settings)
  const scorer = new Scorer(links)
  // For each item, the last user who has it in the history or in the list.
  const taken = new Uint32Array(itemCount)
  return (user: number) => {
    const history = items.subarray(starts[user], starts[user + 1])
    const isFree = (item: number) => taken[item] !== user + 1
    for (const item of history) taken[item] = user + 1
    const list = scorer.best(historyOf(history, halfLives), count, isFree).map(({ item }) => item)
    for (const item of list) taken[item] = user + 1
    return list.length === count ? list : [...list, ...firstOf(popular, count - list.length, isFree)]
  }
}
