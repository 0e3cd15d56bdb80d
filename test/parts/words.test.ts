import t from 'tap'
import { fold, wordsOf } from '../../src/words.js'

const begins = (text: string, search: string) => wordsOf(search).every(wanted => wordsOf(text).some(word => word.startsWith(wanted)))

t.test('fold leaves neither case nor accents', async t => {
  const pairs: [string, string][] = [
    ['Crème BRÛLÉE', 'creme brulee'],
    ['ÅNGSTRÖM', 'angstrom'],
    ['Straße', 'strasse'],
    ['STRASSE', 'strasse'],
    ['ẞ', 'ss'],
    ['Łódź', 'lodz'],
    ['Ørsted', 'orsted'],
    ['İstanbul', 'istanbul'],
    ['ıstanbul', 'istanbul'],
    ['Việt Nam', 'viet nam'],
    ['Ёлки', 'елки'],
    ['ＦＵＬＬ１２', 'full12'],
    ['ﬁn', 'fin'],
    ['한국', '한국'],
    ['ガ', 'ガ'],
    ['ｶﾞ', 'ガ'],
    ['', '']
  ]
  for (const [text, folded] of pairs) t.equal(fold(text), folded, text)
  t.equal(fold('e\u0301'), fold('\u00e9'), 'whether composed or not')
  t.equal(fold('ΟΔΥΣΣΕΎΣ'), fold('οδυσσεύς'))
})

/** Every character that there is. */
function* characters() {
  for (let code = 0; code < 0x110000; code++) if (code < 0xd800 || code > 0xdfff) yield String.fromCodePoint(code)
}

t.test('folded once or twice is the same for every character', async t => {
  const others = [...characters()].filter(character => fold(fold(character)) !== fold(character))
  t.equal(others.length, 0, `${others.length}: ${others.slice(0, 40).join(' ')}`)
})

t.test('so are a letter and its capital, where they are a pair', async t => {
  const others = [...characters()].filter(character => {
    const capital = character.toUpperCase()
    return capital.toLowerCase() === character && capital.length === character.length && fold(capital) !== fold(character)
  })
  t.equal(others.length, 0, `${others.length}: ${others.slice(0, 40).join(' ')}`)
})

t.test('wordsOf', async t => {
  const texts: [string, string[]][] = [
    ['', []],
    ['  .,;!? — …', []],
    ['😀', []],
    ['The Long Ridge', ['the', 'long', 'ridge']],
    ['ridge RIDGE Ridge', ['ridge']],
    ["L'Été", ['l', 'ete']],
    ['a-b_c.d/e', ['a', 'b', 'c', 'd', 'e']],
    ['4K (2026)', ['4k', '2026']],
    ['स्त्री', ['स्त्री']],
    ['한국어 수업', ['한국어', '수업']],
    ['ภาษาไทย', ['ภาษา', 'ไทย']],
    ['佐々木', ['佐々木']],
    ['१२३ ۴۵', ['१२३', '۴۵']]
  ]
  for (const [text, words] of texts) t.strictSame(wordsOf(text), words, text)
  t.strictSame(wordsOf('one two', 'two three'), ['one', 'two', 'three'], 'of several texts each once')
  t.strictSame(wordsOf(), [])
  t.ok(wordsOf('Tokyo東京タワー').length > 1, 'scripts that follow each other without a space')
})

t.test('a beginning of a text that begins a word finds it', async t => {
  const texts = [
    '東京',
    'ไทย',
    'Οδύσσεια',
    'ὈΔΥΣΣΕΎΣ',
    'Straßenbahn',
    'Ængus',
    'İzmir',
    'Đà Nẵng',
    'Йошкар',
    '한국',
    'مُحَمَّد',
    'x'.repeat(300),
    '𝔉ilm'
  ]
  for (const text of texts) {
    const letters = [...new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text)].map(({ segment }) => segment)
    for (const count of [1, 2, 3, 4, letters.length - 1, letters.length]) {
      if (text === '東京' || text === 'ไทย' ? count < letters.length : count < 1) continue
      const beginning = letters.slice(0, count).join('')
      for (const search of [beginning, beginning.toUpperCase(), beginning.toLowerCase(), beginning.normalize('NFD')])
        t.ok(begins(text, search), `${text.slice(0, 20)} by ${search.slice(0, 20)}`)
    }
  }
})

t.test('punctuation of any script parts words', async t => {
  for (const [text, second] of [
    ['תל־אביב', 'אביב'],
    ['ab\u05c0cd', 'cd'],
    ['ab\u05c3cd', 'cd'],
    ['ab،cd', 'cd'],
    ['ab。cd', 'cd'],
    ['ab·cd', 'cd'],
    ['ab–cd', 'cd'],
    ['ab\u00a0cd', 'cd']
  ] as const)
    t.ok(begins(text, second), JSON.stringify(text))
})
