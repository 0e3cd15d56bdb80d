const accents = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g
/** Letters that Unicode does not take apart, as people type them without their stroke, and the sigma that ends a word. */
const plain: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ł: 'l', ı: 'i', þ: 'th', ħ: 'h', ς: 'σ' }
const strokes = new RegExp(`[${Object.keys(plain).join('')}]`, 'g')

/** A text without case and accents. */
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

/** As long as a search may be. Longer words are cut, in texts and in searches alike. */
const longest = 200
const cut = (word: string) => word.slice(0, longest)

/** Letters that follow each other. */
const runsOf = (text: string): string[] => fold(text).match(runs) ?? []

/** The segmenter is slow, so only scripts without spaces go through it. */
const split = (run: string) => (withoutSpaces.test(run) ? Array.from(segmenter.segment(run), ({ segment }) => segment) : [run])

/** The words of texts as the search compares them, each once: every run as it stands, and the words in it. */
export const wordsOf = (...texts: string[]) => {
  const found = new Set<string>()
  for (const text of texts) for (const run of new Set(runsOf(text))) for (const word of [run, ...split(run)]) found.add(cut(word))
  return [...found]
}

/**
 * What a text must have to be found: for each word of the search a word that begins with it or with the run that it is of.
 * The run, since what the segmenter sees in the beginning of a text is often no beginning of what it sees in all of it:
 * となり in となりの, but と and な in とな.
 */
export const soughtIn = (search: string) =>
  [...new Set(runsOf(search))].flatMap(run => split(run).map(word => (word === run ? [cut(run)] : [cut(run), cut(word)])))

/** Nobody types more, and each word costs. */
const mostWords = 8

/** Whether a text can be searched for. Some letters stand for no word by themselves, so something must be left of it. */
export const isSearch = (text: string) => {
  const words = runsOf(text)
  return words.length > 0 && words.length <= mostWords
}
