import { maxValueLength, maxWords } from '../../../schemas/lists.js'

const accents = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g
/** Letters that Unicode does not decompose, as people type them without special keys, and the final sigma. */
const plain: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ł: 'l', ı: 'i', þ: 'th', ħ: 'h', ς: 'σ' }
const strokes = new RegExp(`[${Object.keys(plain).join('')}]`, 'g')

const isPlain = (text: string) => /^[\0-\x7f]*$/.test(text)

/** Removes case and accents. Most strings have no accents, which is much faster to see than to remove them. */
export const fold = (text: string) => (isPlain(text) ? text.toLowerCase() : foldAny(text))

const foldAny = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(accents, '')
    .replace(strokes, letter => plain[letter] as string)
    .normalize('NFC')

const runs = /[\p{L}\p{N}\p{M}]+/gu
const withoutSpaces = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/** A search is at most this long, so longer words are cut to it, when indexed and when searched. */
const cut = (word: string) => word.slice(0, maxValueLength)

/** Unbroken sequences of letters and digits. */
const runsOf = (text: string): string[] => fold(text).match(runs) ?? []

/** The segmenter is slow, so it only handles scripts without spaces. */
const split = (run: string) => (withoutSpaces.test(run) ? Array.from(segmenter.segment(run), ({ segment }) => segment) : [run])

/** Every run, and the words within it. */
export const wordsIn = (texts: string[]) => texts.flatMap(text => runsOf(text).flatMap(run => [run, ...split(run)].map(cut)))

/** Marks a name as a whole among the words of names. No word begins with it. */
const whole = '='

/** A string as a whole, ignoring punctuation and spaces. */
export const wholeOf = (text: string) => whole + cut(runsOf(text).join(''))
export const isWord = (word: string) => !word.startsWith(whole)

/** The texts of an item. Titles and descriptions are by language. */
interface Texts {
  name: string
  title: Record<string, string>
  keywords: string
  description: Record<string, string>
}

/** The distinct words of an item, each in the field in which it counts most. */
export const wordsOf = ({ name, title, keywords, description }: Texts) => {
  const names = [name, ...Object.values(title)]
  const inNames = new Set([...wordsIn(names), ...names.map(wholeOf)])
  const inKeywords = new Set(wordsIn([keywords]).filter(word => !inNames.has(word)))
  const inDescription = new Set(wordsIn(Object.values(description)).filter(word => !inNames.has(word) && !inKeywords.has(word)))
  return { names: [...inNames], keywords: [...inKeywords], description: [...inDescription] }
}
export type Words = ReturnType<typeof wordsOf>

/** A word of a search. It matches words that begin with any of its forms. */
export interface SearchWord {
  forms: string[]
  /** How many typos the last form may have. */
  typos: number
}

const typosIn = (word: string) => {
  if (/\p{N}/u.test(word) || withoutSpaces.test(word)) return 0
  const letters = word.match(/\p{L}/gu)?.length ?? 0
  return letters >= 9 ? 2 : letters >= 5 ? 1 : 0
}

/**
 * The words of a search. Each also has the run around it as a form, because the segmenter often splits the beginning of a run differently
 * from the whole: となりの into となり and の, but とな into と and な.
 */
export const searchWordsOf = (search: string): SearchWord[] =>
  [...new Set(runsOf(search))].flatMap(run => {
    const typos = typosIn(run)
    return [...new Set(split(run))].map(word => ({ forms: word === run ? [cut(run)] : [cut(run), cut(word)], typos }))
  })

/** A search needs at least one word. Symbols and lone accents are not words. */
export const isSearch = (text: string) => {
  const words = runsOf(text)
  return words.length > 0 && words.length <= maxWords
}
