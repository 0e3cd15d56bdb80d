import type { ContentWords } from '../data/contents.js'
import { unavailable } from '../errors.js'
import { InFlight } from '../overload/deadlines.js'
import { Pacer } from '../overload/pacer.js'
import type { Skeleton } from './skeleton.js'
import { WordIndex } from './words.js'

/** With more changes, reading the words of all contents is cheaper than listing the changed ids. */
const maxIds = 1000

/** How many searches may wait, and for how many milliseconds. */
const maxWaiting = 64
const timeout = 300

/** Without ids, reads the words of all contents. */
type ReadWords = (ids?: number[]) => AsyncIterable<ContentWords>

/**
 * The search of GET /contents. It works in memory, so that no search can slow down the database. Searches have a queue of their own, so
 * that many of them do not delay other lists. Only a few may wait, and not for long.
 */
export class Search {
  private readonly index = new WordIndex()
  private readonly pacer = new Pacer()
  private readonly inFlight = new InFlight(maxWaiting, timeout)
  /** Incremented whenever the index changes. */
  version = 0
  private indexed: { skeleton: Skeleton; version: number } | undefined
  private becomeReady!: () => void
  private readonly ready = new Promise<void>(resolve => {
    this.becomeReady = resolve
  })

  /** Calls `onRefused` for each search that finds the queue full. */
  constructor(
    private readonly read: ReadWords,
    private readonly onRefused = () => {}
  ) {}

  /** Runs a search when its turn comes. */
  inTurn<T>(search: () => T | Promise<T>): Promise<T> {
    if (this.inFlight.isFull) {
      this.onRefused()
      throw unavailable()
    }
    return this.inFlight.within(this.pacer.run(search))
  }

  /** `wanted` comes from `prefixesFor`. Right after a start, this waits for the index. */
  async idsWith(wanted: readonly string[][]) {
    await this.ready
    return this.index.idsWith(wanted)
  }

  /** Like `idsWith`, but searches what is indexed so far instead of waiting. `version` changes when there is more. */
  knownWith(wanted: readonly string[][]) {
    return this.index.idsWith(wanted)
  }

  /** Indexes the contents that are new in the skeleton or have changed. */
  async catchUp(skeleton: Skeleton) {
    const { version } = skeleton
    if (this.indexed?.skeleton === skeleton && this.indexed.version === version) return
    const changed = new Map<number, number>()
    for (let row = 0; row < skeleton.size; row++) {
      const content = { id: skeleton.idOf(row), stamp: skeleton.stamp.raw(row) }
      if (!this.index.has(content)) changed.set(content.id, content.stamp)
    }
    for await (const { _id, words } of this.read(changed.size > maxIds ? undefined : [...changed.keys()])) {
      const stamp = changed.get(_id)
      if (stamp === undefined) continue
      this.index.put({ id: _id, stamp }, Array.isArray(words) ? words.filter(word => typeof word === 'string') : [])
      changed.delete(_id)
    }
    // Missing in the database, so without words.
    for (const [id, stamp] of changed) this.index.put({ id, stamp }, [])
    this.indexed = { skeleton, version }
    this.version++
    this.becomeReady()
  }
}
