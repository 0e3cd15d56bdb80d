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
