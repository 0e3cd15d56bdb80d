import type { ContentWords } from '../data/contents.js'
import type { Skeleton } from './skeleton.js'
import { WordIndex } from './word-index.js'

/** Beyond so many changes it is cheaper to read the words of all contents than to name those that changed. */
const namedAtMost = 1000

/** Reads the words of these contents, or of all. */
type ReadWords = (ids?: number[]) => AsyncIterable<ContentWords>

/** The search of GET /contents, in memory: no search asks the database, so none can hold it up. */
export class Search {
  private readonly index = new WordIndex()
  /** Rises whenever words have been read: what was found before may miss some. */
  version = 0
  private known: { skeleton: Skeleton; version: number } | undefined
  private becomeReady!: () => void
  private readonly ready = new Promise<void>(resolve => {
    this.becomeReady = resolve
  })

  constructor(private readonly read: ReadWords) {}

  /** The contents that a search finds. `wanted` was made by `soughtIn`. Right after a start, it waits until all words are known. */
  async idsWith(wanted: readonly string[][]) {
    await this.ready
    return this.index.idsWith(wanted)
  }

  /** Reads the words of the contents that are new in the skeleton or have changed. */
  async catchUp(skeleton: Skeleton) {
    const { version } = skeleton
    if (this.known?.skeleton === skeleton && this.known.version === version) return
    const changed = new Map<number, number>()
    for (let row = 0; row < skeleton.size; row++) {
      const content = { id: skeleton.idOf(row), stamp: skeleton.stamp.raw(row) }
      if (!this.index.has(content)) changed.set(content.id, content.stamp)
    }
    for await (const { _id, words } of this.read(changed.size > namedAtMost ? undefined : [...changed.keys()])) {
      const stamp = changed.get(_id)
      if (stamp === undefined) continue
      this.index.put({ id: _id, stamp }, Array.isArray(words) ? words.filter(word => typeof word === 'string') : [])
      changed.delete(_id)
    }
    // Gone from the database: there is nothing to find them by.
    for (const [id, stamp] of changed) this.index.put({ id, stamp }, [])
    this.known = { skeleton, version }
    this.version++
    this.becomeReady()
  }
}
