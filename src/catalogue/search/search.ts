import { unavailable } from '../../errors.js'
import { withDeadline } from '../../overload/deadlines.js'
import { Pacer } from '../../overload/pacer.js'
import { type Match, type Matches, selectMatches } from './matches.js'
import { indexOfNames } from './names.js'
import { fields, hasTypos, noMatch, type Pause, postingOf, WordIndex } from './word-index.js'
import { type SearchWord, type Words, wholeOf } from './words.js'

/** With more changes, reading the words of all contents is cheaper than listing the changed ids. */
const maxIds = 1000
/** The index grows by about this many postings at a time, those of some 20,000 contents. */
const maxAdded = 600_000

/** How many links of contents to people are processed between two pauses: a fraction of a millisecond. */
const step = 65_536
/** For more people than this, scanning all links is faster than following those of each person. */
const few = 1000

/** How many searches may wait or run at once. */
const maxSearches = 64
/** How long a search may wait for its turn, and then how long it may take, in milliseconds. */
const timeout = 300

/** What a search needs of the skeleton: the contents, one row each. */
interface Skeleton {
  /** Incremented with every change. */
  readonly version: number
  readonly size: number
  row(id: number): number | undefined
  idOf(row: number): number
  /** Identifies the version of an item. */
  readonly stamp: { raw(row: number): number }
  /** Returns a function from a row to the folded values of its terms. */
  foldTerms(
    values: Iterable<readonly [term: number, value: number]>,
    fold: (total: number, value: number) => number,
    none: number
  ): (row: number) => number
  /** Which people each row names. */
  readonly people: Links
}

interface Terms {
  readonly documents: readonly { _id: number; name: string }[]
}

interface Links {
  readonly size: number
  /** How many people have a number. */
  readonly people: number
  number(id: number): number | undefined
  eachRow(id: number, visit: (row: number) => void): void
  eachLink(first: number, end: number, visit: (row: number, person: number) => void): void
}

interface People {
  readonly size: number
  readonly nameIndex: WordIndex
  idAt(at: number): number
}

/** Without ids, reads the words of all contents. */
type ReadWords = (ids?: number[]) => AsyncIterable<{ _id: number; words: Words }>

/** The place of each row in a result: the lowest number first; rows with 0 are left out. */
export type Ranks = Uint8Array

interface Wanted {
  search: string
  byRelevance: boolean
  /** The ranks are for the rows of this skeleton. */
  skeleton: Skeleton
  terms: Terms
  people: People
}

/** The index of the contents in a skeleton, and for each row the stamp of what is indexed. */
interface Indexed {
  index: WordIndex
  skeleton: Skeleton
  stamps: Float64Array
}

interface Row {
  row: number
  stamp: number
}

/** Postings to add to the index. */
class Added {
  readonly rows: Row[] = []
  readonly postings = new Map<string, number[]>()
  count = 0

  /** Other software may have written the words. */
  put(row: Row, words: Partial<Words> | null) {
    this.rows.push(row)
    for (const field of fields) {
      const list: unknown = words?.[field]
      if (Array.isArray(list)) for (const word of list) if (typeof word === 'string') this.add(word, postingOf(row.row, field))
    }
  }

  add(word: string, posting: number) {
    const list = this.postings.get(word)
    if (list) list.push(posting)
    else this.postings.set(word, [posting])
    this.count++
  }
}

/**
 * The search of GET /contents. It works in memory, so that searches cannot slow down the database. Searches have a queue of their own, in
 * which they take turns step by step, so that none delays other lists or a cheaper search. Only a few may wait, and not for long.
 */
export class Search {
  private readonly pacer = new Pacer()
  private readonly indexing = new Pacer()
  /** Searches that are waiting or running. */
  private inProgress = 0
  /** Incremented whenever the index changes. */
  version = 0
  private indexed: Indexed | undefined
  private indexedVersion = -1
  private names: { terms: Terms; index: Promise<WordIndex> } | undefined
  /** Whether all contents have been indexed. */
  isReady = false

  /** Calls `onRefused` for each search that is rejected because the queue is full. */
  constructor(
    private readonly read: ReadWords,
    private readonly onRefused = () => {}
  ) {}

  /** Queues a search. One that has waited for too long never begins. */
  async inTurn<T>(search: () => T | Promise<T>): Promise<T> {
    if (this.inProgress >= maxSearches) {
      this.onRefused()
      throw unavailable()
    }
    await this.counted(this.pacer.run(() => undefined))
    return this.counted(Promise.resolve(search()))
  }

  /** A search past its deadline counts until it ends. */
  private counted<T>(promise: Promise<T>) {
    this.inProgress++
    return withDeadline(
      promise.finally(() => this.inProgress--),
      timeout
    )
  }

  /** The pauses of one search. Throws once nobody is waiting for the search any longer. */
  pauses(): Pause {
    const began = performance.now()
    return () => {
      if (performance.now() - began > timeout) throw unavailable()
      return this.pacer.pause()
    }
  }

  /**
   * Selects from the matches among the contents indexed so far. If there are few, selects again with typos allowed. Unless sorted by
   * relevance, matches are ranked only by whether they have typos.
   */
  async find<Found extends { total: number }>(wanted: Wanted, select: (ranks: Ranks) => Found, pause: Pause): Promise<Found> {
    const { indexed } = this
    if (!indexed) return select(new Uint8Array(0))
    const { search, byRelevance, skeleton } = wanted
    const { size } = indexed.skeleton
    const match = this.match({ ...wanted, skeleton: indexed.skeleton }, indexed.index, pause)
    const selectRanked = (matches: Matches) => select(ranksIn(skeleton, indexed, matches, byRelevance, wholeOf(search)))
    return selectMatches({ search, size, match, select: selectRanked, pause })
  }

  /** Indexes the contents that are new in the skeleton or have changed. */
  async catchUp(skeleton: Skeleton) {
    const { version } = skeleton
    if (this.indexed?.skeleton === skeleton && this.indexedVersion === version) return
    if (this.indexed?.skeleton !== skeleton) {
      // The versions of two skeletons may be equal.
      this.indexedVersion = -1
      await this.merge(skeleton, new Added())
    }
    const { stamps } = this.indexed as Indexed
    const changed = new Map<number, Row>()
    for (let row = 0; row < skeleton.size; row++) {
      const stamp = skeleton.stamp.raw(row)
      if (!Object.is(stamps[row], stamp)) changed.set(skeleton.idOf(row), { row, stamp })
    }
    let added = new Added()
    for await (const { _id, words } of this.read(changed.size > maxIds ? undefined : [...changed.keys()])) {
      const row = changed.get(_id)
      if (!row) continue
      changed.delete(_id)
      added.put(row, words)
      if (added.count < maxAdded) continue
      await this.merge(skeleton, added)
      added = new Added()
    }
    // Missing in the database, so they have no words.
    for (const row of changed.values()) added.put(row, null)
    await this.merge(skeleton, added)
    this.indexedVersion = version
    this.isReady = true
  }

  /** Replaces the words of these rows. All other contents keep theirs, even if a new skeleton has them in other rows. */
  private async merge(skeleton: Skeleton, { rows, postings }: Added) {
    const before = this.indexed ?? { index: new WordIndex(), skeleton, stamps: new Float64Array(0) }
    const stamps = new Float64Array(skeleton.size).fill(neverIndexed)
    for (const { row, stamp } of rows) stamps[row] = stamp
    const moved = new Int32Array(before.stamps.length).fill(-1)
    for (const [row, stamp] of before.stamps.entries()) {
      const to = rowIn(skeleton, before.skeleton, row)
      if (to === undefined || stamps[to] !== neverIndexed) continue
      stamps[to] = stamp
      moved[row] = to
    }
    const index = await before.index.with(postings, moved, () => this.indexing.pause())
    this.indexed = { index, skeleton, stamps }
    this.version++
  }

  private match({ skeleton, terms, people }: Wanted, index: WordIndex, pause: Pause): Match {
    const matchNames = async (names: WordIndex, count: number, word: SearchWord, withTypos: boolean) => {
      const qualities = new Uint8Array(count).fill(noMatch)
      await names.match(qualities, word, withTypos, pause)
      return qualities
    }
    return async (best, word, withTypos) => {
      await index.match(best, word, withTypos, pause)
      const ofTerms = await matchNames(await this.namesOf(terms), terms.documents.length, word, withTypos)
      lowerByTerms(best, skeleton, terms, ofTerms)
      const ofPeople = await matchNames(people.nameIndex, people.size, word, withTypos)
      await lowerByPeople(best, skeleton, people, ofPeople, pause)
    }
  }

  /** There are few terms, so their names are indexed when they are first needed. */
  private namesOf(terms: Terms): Promise<WordIndex> {
    if (this.names?.terms !== terms) {
      const names = terms.documents.map(({ name }) => name)
      this.names = { terms, index: indexOfNames(names.entries(), () => this.indexing.pause()) }
    }
    return this.names.index
  }
}

const neverIndexed = Number.NEGATIVE_INFINITY

const rowIn = (skeleton: Skeleton, before: Skeleton, row: number) => (skeleton === before ? row : skeleton.row(before.idOf(row)))

// Functions of their own, because V8 runs loops in asynchronous functions several times more slowly.

/** Terms are few, and contents share lists of them. */
const lowerByTerms = (best: Uint8Array, skeleton: Skeleton, terms: Terms, qualities: Uint8Array) => {
  const named = terms.documents.flatMap(({ _id }, at) => (qualities[at] === noMatch ? [] : [[_id, qualities[at] as number] as const]))
  if (named.length === 0) return
  const qualityOf = skeleton.foldTerms(named, Math.min, noMatch)
  for (let row = 0; row < best.length; row++) best[row] = Math.min(best[row] as number, qualityOf(row))
}

const lowerByPeople = async (best: Uint8Array, { people: links }: Skeleton, people: People, qualities: Uint8Array, pause: Pause) => {
  const matched = matchedIn(qualities)
  const lower = (row: number, quality: number) => {
    if (quality < (best[row] as number)) best[row] = quality
  }
  if (matched.length <= few) {
    for (const at of matched) links.eachRow(people.idAt(at), row => lower(row, qualities[at] as number))
    return
  }
  const byNumber = new Uint8Array(links.people).fill(noMatch)
  for (const at of matched) {
    const number = links.number(people.idAt(at))
    if (number !== undefined) byNumber[number] = qualities[at] as number
  }
  for (let first = 0; first < links.size; first += step) {
    links.eachLink(first, first + step, (row, person) => lower(row, byNumber[person] as number))
    await pause()
  }
}

const matchedIn = (qualities: Uint8Array) => {
  const matched: number[] = []
  for (let at = 0; at < qualities.length; at++) if (qualities[at] !== noMatch) matched.push(at)
  return matched
}

const ranksIn = (
  skeleton: Skeleton,
  { index, skeleton: own }: Indexed,
  { rows, qualities }: Matches,
  byRelevance: boolean,
  whole: string
) => {
  const ranks = new Uint8Array(skeleton.size)
  const rank = (row: number, place: number) => {
    const to = rowIn(skeleton, own, row)
    if (to !== undefined) ranks[to] = place
  }
  for (const row of rows) {
    const quality = qualities[row] as number
    rank(row, byRelevance ? quality + 2 : hasTypos(quality) ? 2 : 1)
  }
  for (const posting of index.of(whole)) rank(posting >>> 2, 1)
  return ranks
}
