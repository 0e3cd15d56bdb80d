import { firstWhere } from '../columns.js'
import { byCodeUnits, sortInSteps } from './sort-in-steps.js'
import { TypoCounter } from './typos.js'
import { isWord, type SearchWord } from './words.js'

/** Where a word was found. The first counts most. */
export const fields = ['names', 'keywords', 'description'] as const

/** How well a word of a search matches: by typos, then by field, then by whether it is a whole word. Lower is better. */
export type Quality = number
export const noMatch: Quality = 255

const qualityOf = (typos: number, isWhole: boolean): Quality => (typos << 3) | (isWhole ? 0 : 1)
/** The quality of a posting's match, given that of its word. */
const inField = (quality: Quality, posting: number): Quality => quality | ((posting & 3) << 1)

/** How well two words match together: all their typos, and the worst of the rest. */
export const both = (one: Quality, other: Quality): Quality =>
  ((one & ~7) + (other & ~7)) | Math.max(one & 6, other & 6) | ((one | other) & 1)
export const hasTypos = (quality: Quality) => quality > 7

/** A row and the number of the field in which it has a word. */
export const postingOf = (row: number, field: (typeof fields)[number]) => (row << 2) | fields.indexOf(field)

/** Awaited between the steps of a long computation. */
export type Pause = () => Promise<void> | undefined

/** How many postings are read between two pauses: a fraction of a millisecond. */
const step = 16_384

/** An immutable inverted index: the sorted words, and for each the rows that have it. */
export class WordIndex {
  constructor(
    private readonly words: readonly string[] = [],
    /** Where the postings of each word begin, and where those of the last one end. */
    private readonly starts: Uint32Array = new Uint32Array(1),
    private readonly postings: Uint32Array = new Uint32Array(0),
    /** The first word with each first letter. */
    private readonly letters: readonly number[] = []
  ) {}

  /** This index with more postings. `rows` maps its rows to the new ones; those that become -1 are dropped. */
  async with(added: ReadonlyMap<string, readonly number[]>, rows: Int32Array, pause: Pause) {
    const { words, starts, postings } = this
    const more = await sortInSteps([...added.keys()], byCodeUnits, pause)
    let count = postings.length
    for (const list of added.values()) count += list.length

    const merged = new Merged(words.length + more.length, count)
    for (let mine = 0, other = 0; mine < words.length || other < more.length; ) {
      if ((mine + other) % 64 === 0) await pause()
      const word = (other === more.length || (words[mine] as string) < (more[other] as string) ? words[mine] : more[other]) as string
      if (word === words[mine]) {
        merged.addMoved(postings.subarray(starts[mine], starts[mine + 1]), rows)
        mine++
      }
      if (word === more[other]) {
        merged.add(added.get(word) as readonly number[])
        other++
      }
      merged.endWord(word)
    }
    return merged.index()
  }

  /** Lowers the quality of each row to that of its best match for the word. With `typos`, also looks for matches with typos. */
  async match(best: Uint8Array, { forms, typos }: SearchWord, withTypos: boolean, pause: Pause) {
    for (const form of forms) await this.matchBeginnings(best, form, 0, 0, this.words.length, pause)
    if (withTypos && typos > 0) await this.matchTypos(best, forms.at(-1) as string, typos, pause)
  }

  /** The postings of exactly this word. */
  of(word: string) {
    const at = this.from(word)
    return this.words[at] === word ? this.postings.subarray(this.starts[at], this.starts[at + 1]) : []
  }

  /** The first word that does not sort before this string. */
  private from(text: string, first = 0, end = this.words.length) {
    return first + firstWhere(end - first, n => (this.words[first + n] as string) >= text)
  }

  private async matchBeginnings(best: Uint8Array, text: string, typos: number, first: number, end: number, pause: Pause) {
    const { words, starts } = this
    let from = this.from(text, first, end)
    if (!words[from]?.startsWith(text)) return
    const to = this.from(`${text}\uffff`, from, end)
    if (words[from] === text) this.lower(best, starts[from++] as number, starts[from] as number, qualityOf(typos, true))
    for (let at = starts[from] as number; at < (starts[to] as number); at += step) {
      this.lower(best, at, Math.min(at + step, starts[to] as number), qualityOf(typos, false))
      await pause()
    }
  }

  private async matchTypos(best: Uint8Array, word: string, allowed: number, pause: Pause) {
    const counter = new TypoCounter(word, allowed)
    const end = this.from(`${word.charAt(0)}\uffff`)
    for (let at = this.from(word.charAt(0)); at < end; at += 256) {
      this.countTypos(best, counter, at, Math.min(at + 256, end))
      await pause()
    }
    if (allowed > 1) await this.matchTyposInFirst(best, word, pause)
  }

  /** Finds typos in the first letter, which count twice: it is wrong, missing, extra, or swapped with the next. */
  private async matchTyposInFirst(best: Uint8Array, word: string, pause: Pause) {
    const { words, letters } = this
    const rest = word.slice(1)
    const exchanged = `${rest.charAt(0)}${word.charAt(0)}${rest.slice(1)}`
    for (const [n, first] of letters.entries()) {
      const letter = (words[first] as string).charAt(0)
      if (letter === word.charAt(0) || !isWord(words[first] as string)) continue
      const end = letters[n + 1] ?? words.length
      for (const text of [letter + rest, letter + word, rest, exchanged])
        if (text.startsWith(letter)) await this.matchBeginnings(best, text, 2, first, end, pause)
      if (n % 128 === 0) await pause()
    }
  }

  private countTypos(best: Uint8Array, counter: TypoCounter, from: number, to: number) {
    const { words, starts } = this
    for (let at = from; at < to; at++) {
      const found = counter.count(words[at] as string)
      if (found) this.lower(best, starts[at] as number, starts[at + 1] as number, qualityOf(found.typos, found.isWhole))
    }
  }

  private lower(best: Uint8Array, from: number, to: number, quality: Quality) {
    const { postings } = this
    for (let at = from; at < to; at++) {
      const posting = postings[at] as number
      const found = inField(quality, posting)
      if (found < (best[posting >>> 2] as number)) best[posting >>> 2] = found
    }
  }
}

/** Builds an index. The words come in sorted order, each after its postings. */
class Merged {
  private readonly words: string[] = []
  private readonly letters: number[] = []
  private readonly starts: Uint32Array
  private readonly postings: Uint32Array
  private length = 0

  constructor(maxWords: number, maxPostings: number) {
    this.starts = new Uint32Array(maxWords + 1)
    this.postings = new Uint32Array(maxPostings)
  }

  add(postings: readonly number[]) {
    for (const posting of postings) this.postings[this.length++] = posting
  }

  /** Adds the postings whose rows still exist. */
  addMoved(postings: Uint32Array, rows: Int32Array) {
    const { postings: to } = this
    let at = this.length
    for (let i = 0; i < postings.length; i++) {
      const posting = postings[i] as number
      const row = rows[posting >>> 2] as number
      if (row >= 0) to[at++] = (row << 2) | (posting & 3)
    }
    this.length = at
  }

  /** Drops the word if it has no postings. */
  endWord(word: string) {
    const { words, letters, starts, length } = this
    if (length === starts[words.length]) return
    if (word.charCodeAt(0) !== words.at(-1)?.charCodeAt(0)) letters.push(words.length)
    words.push(word)
    starts[words.length] = length
  }

  index() {
    const { words, starts, postings, length, letters } = this
    return new WordIndex(words, starts.slice(0, words.length + 1), postings.subarray(0, length), letters)
  }
}
