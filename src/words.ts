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

const words = /[\p{L}\p{N}\p{M}]+/gu
const withoutSpaces = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/** Longer ones are cut, in texts and in searches alike. */
const longest = 40

const split = (run: string) =>
  withoutSpaces.test(run) ? [...segmenter.segment(run)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment) : [run]

/** The words of texts as the search compares them, each once. The segmenter is slow, so only scripts without spaces go through it. */
export const wordsOf = (...texts: string[]) => {
  const found = new Set<string>()
  for (const text of texts)
    for (const run of fold(text).match(words) ?? []) for (const word of split(run)) found.add(word.slice(0, longest))
  return [...found]
}
