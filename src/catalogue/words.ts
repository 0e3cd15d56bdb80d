import { maxWords } from '../../schemas/contents-query.js'
import { maxValueLength } from '../../schemas/lists.js'

const accents = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g
/** Letters that Unicode does not decompose, as people type them without special keys, and the final sigma. */
const plain: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ł: 'l', ı: 'i', þ: 'th', ħ: 'h', ς: 'σ' }
const strokes = new RegExp(`[${Object.keys(plain).join('')}]`, 'g')

/** Removes case and accents. */
export const fold = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(accents, '')
    .replace(strokes, letter => plain[letter] as string)
    .normalize('NFC')

const runs = /[\p{L}\p{N}\p{M}]+/gu
const withoutSpaces = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/** A search is at most this long, so longer words are cut to it, in texts and searches alike. */
const cut = (word: string) => word.slice(0, maxValueLength)

/** Unbroken sequences of letters and digits. */
const runsOf = (text: string): string[] => fold(text).match(runs) ?? []

/** The segmenter is slow, so it only handles scripts without spaces. */
const split = (run: string) => (withoutSpaces.test(run) ? Array.from(segmenter.segment(run), ({ segment }) => segment) : [run])

/** The distinct words that searches match: every run, and the words within it. */
export const wordsOf = (...texts: string[]) => {
  const found = new Set<string>()
  for (const text of texts) for (const run of new Set(runsOf(text))) for (const word of [run, ...split(run)]) found.add(cut(word))
  return [...found]
}

/**
 * A list of prefixes for each word of a search. A text matches if each list has a prefix of one of its words.
 * The prefixes are the word itself and the run around it, because the segmenter often splits the beginning of a run differently
 * from the whole: となりの into となり and の, but とな into と and な.
 */
export const prefixesFor = (search: string) =>
  [...new Set(runsOf(search))].flatMap(run => split(run).map(word => (word === run ? [cut(run)] : [cut(run), cut(word)])))

/** A search needs at least one word. Symbols and lone accents are none. */
export const isSearch = (text: string) => {
  const words = runsOf(text)
  return words.length > 0 && words.length <= maxWords
}

/** A word and the numbers of the entries that have it. */
interface Posting {
  word: string
  entryNumbers: number[]
}

/** The words with one first letter, and the entries that have any of them: a search for one letter reads a single list. */
interface Bucket {
  words: Posting[]
  entryNumbers: number[]
}

/** A content as of one stamp. */
interface Entry {
  id: number
  stamp: number
}

const firstLetter = (word: string) => word.charAt(0)

/** An inverted index of the words of all contents. A changed content gets a new entry; rebuilds drop its outdated ones. */
export class WordIndex {
  private entries: Entry[] = []
  private readonly latest = new Map<number, number>()
  private readonly outdated = new Set<number>()
  private postings = new Map<string, Posting>()
  private buckets = new Map<string, Bucket>()

  has({ id, stamp }: Entry) {
    const entry = this.latest.get(id)
    return entry !== undefined && this.entries[entry]?.stamp === stamp
  }

  put(content: Entry, words: readonly string[]) {
    if (this.outdated.size > this.latest.size + 1000) this.rebuild()
    const before = this.latest.get(content.id)
    if (before !== undefined) this.outdated.add(before)
    const entry = this.entries.push(content) - 1
    this.latest.set(content.id, entry)
    for (const word of words) this.postingOf(word).entryNumbers.push(entry)
    for (const letter of new Set(words.map(firstLetter))) this.buckets.get(letter)?.entryNumbers.push(entry)
  }

  /** Finds the contents that have a match for each item of `wanted`: a word with one of its prefixes. */
  idsWith(wanted: readonly (readonly string[])[]): number[] {
    const size = this.entries.length
    // How many of the first items an entry matches. One that misses an item is out: its count no longer rises.
    const matched = new Uint8Array(size)
    for (const [item, prefixes] of wanted.entries()) {
      for (const entryNumbers of this.entriesWith(prefixes))
        for (const entry of entryNumbers) if (matched[entry] === item) matched[entry] = item + 1
    }
    const ids: number[] = []
    for (let entry = 0; entry < size; entry++)
      if (matched[entry] === wanted.length && !this.outdated.has(entry)) ids.push((this.entries[entry] as Entry).id)
    return ids
  }

  /** An entry may be in several of the lists. */
  private entriesWith(prefixes: readonly string[]) {
    return prefixes.flatMap(prefix => {
      const bucket = this.buckets.get(firstLetter(prefix))
      if (!bucket) return []
      if (prefix.length === 1) return [bucket.entryNumbers]
      return bucket.words.filter(({ word }) => word.startsWith(prefix)).map(({ entryNumbers }) => entryNumbers)
    })
  }

  private postingOf(word: string) {
    const known = this.postings.get(word)
    if (known) return known
    const posting: Posting = { word, entryNumbers: [] }
    this.postings.set(word, posting)
    const bucket = this.buckets.get(firstLetter(word))
    if (bucket) bucket.words.push(posting)
    else this.buckets.set(firstLetter(word), { words: [posting], entryNumbers: [] })
    return posting
  }

  private rebuild() {
    const { entries, postings, buckets, outdated } = this
    const moved = new Map<number, number>()
    this.entries = []
    for (const [entry, content] of entries.entries())
      if (!outdated.has(entry)) {
        moved.set(entry, this.entries.push(content) - 1)
        this.latest.set(content.id, this.entries.length - 1)
      }
    outdated.clear()
    this.postings = new Map()
    this.buckets = new Map()
    const movedOf = (list: number[]) => list.flatMap(entry => moved.get(entry) ?? [])
    for (const { word, entryNumbers } of postings.values()) {
      const kept = movedOf(entryNumbers)
      if (kept.length > 0) this.postingOf(word).entryNumbers = kept
    }
    for (const [letter, { entryNumbers }] of buckets) {
      const rebuilt = this.buckets.get(letter)
      if (rebuilt) rebuilt.entryNumbers = movedOf(entryNumbers)
    }
  }
}
