import fc from 'fast-check'
import t from 'tap'
import { TypoCounter } from '../../src/catalogue/typos.js'

/** The same by the textbook, for whole words: the first letters are equal, so that no typo touches them. */
const distance = (one: string, other: string) => {
  const rows = Array.from({ length: one.length + 1 }, (_, i) =>
    Array.from({ length: other.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0))
  )
  const at = (i: number, j: number) => rows[i]?.[j] as number
  for (let i = 1; i <= one.length; i++)
    for (let j = 1; j <= other.length; j++) {
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      const row = rows[i] as number[]
      row[j] = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + Number(one[i - 1] !== other[j - 1]),
        isSwapped ? at(i - 2, j - 2) + 1 : 100
      )
    }
  return at(one.length, other.length)
}

const expected = (typed: string, word: string, allowed: number) => {
  const beginnings = Array.from({ length: word.length }, (_, n) => distance(typed.slice(1), word.slice(1, n + 1)))
  const typos = Math.min(...beginnings)
  return typos > allowed ? undefined : { typos, isWhole: beginnings.at(-1) === typos }
}

t.test('typos are counted as by the textbook', async t => {
  const cases: [string, string, number | undefined, boolean?][] = [
    ['harbour', 'harbour', 0, true],
    ['harbor', 'harbour', 1, true],
    ['harbuor', 'harbour', 1, true],
    ['harrbour', 'harbour', 1, true],
    ['harbxur', 'harbour', 1, true],
    ['harbxu', 'harbourmaster', 1, false],
    ['harbxxr', 'harbour', 2, true],
    ['hxrbxxr', 'harbour', undefined],
    ['hraobur', 'harbour', 2, true],
    ['hhrbour', 'harbour', 1, true],
    ['harbour', 'h', undefined],
    ['harbour', 'harbo', 2, true]
  ]
  for (const [typed, word, typos, isWhole] of cases)
    t.strictSame(new TypoCounter(typed, 2).count(word), typos === undefined ? undefined : { typos, isWhole }, `${typed} ${word}`)
})

t.test('and the same for any sorted words', async t => {
  const letters = fc.constantFrom('a', 'b', 'c')
  const word = (minLength: number, maxLength: number) => fc.string({ unit: letters, minLength, maxLength }).map(text => `a${text}`)
  fc.assert(
    fc.property(word(4, 9), fc.array(word(0, 14), { maxLength: 30 }), fc.constantFrom(1, 2), (typed, words, allowed) => {
      const counter = new TypoCounter(typed, allowed)
      for (const word of words.sort()) t.strictSame(counter.count(word), expected(typed, word, allowed), `${typed} ${word}`)
    }),
    { numRuns: 500 }
  )
})
