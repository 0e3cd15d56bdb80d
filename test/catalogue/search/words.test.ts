import fc from 'fast-check'
import t from 'tap'
import { TypoCounter } from '../../../src/catalogue/search/typos.js'
import { fold, searchWordsOf, wholeOf, wordsOf } from '../../../src/catalogue/search/words.js'

const described = (text: string) => wordsOf({ name: '', title: {}, keywords: '', description: { en: text } }).description

/** Whether a search finds a content with these stored words. */
const finds = (search: string, words: string[]) =>
  searchWordsOf(search).every(({ forms }) => forms.some(form => words.some(word => word.startsWith(form))))
const begins = (text: string, search: string) => finds(search, described(text))

const lettersOf = (text: string) =>
  Array.from(new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text), ({ segment }) => segment)

t.test('fold removes case and accents', async t => {
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
  t.equal(fold('e\u0301'), fold('\u00e9'), 'composed or not')
  t.equal(fold('ΟΔΥΣΣΕΎΣ'), fold('οδυσσεύς'))
})

/** Every character that Unicode has assigned. */
const characters = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter(character =>
  /[^\p{Unassigned}\p{Surrogate}\p{Private_Use}]/u.test(character)
)

t.test('folding a second time changes no character', async t => {
  const others = characters.filter(character => fold(fold(character)) !== fold(character))
  t.equal(others.length, 0, `${others.length}: ${others.slice(0, 40).join(' ')}`)
})

t.test('a letter and its capital fold to the same text', async t => {
  const others = characters.filter(character => {
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
    ['ภาษาไทย', ['ภาษาไทย', 'ภาษา', 'ไทย']],
    ['iPhone版', ['iphone版', 'iphone', '版']],
    ['佐々木', ['佐々木']],
    ['१२३ ۴۵', ['१२३', '۴۵']]
  ]
  for (const [text, words] of texts) t.strictSame(described(text), words, text)
  t.ok(described('Tokyo東京タワー').length > 1, 'adjacent scripts without a space are split')
  t.strictSame(
    wordsOf({
      name: 'One: Two',
      title: { de: 'Eins-Zwei', en: 'One Two' },
      keywords: 'two, three',
      description: { en: 'One three four', de: 'vier four' }
    }),
    { names: ['one', 'two', 'eins', 'zwei', '=onetwo', '=einszwei'], keywords: ['three'], description: ['four', 'vier'] },
    'a word is only listed where it counts most'
  )
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
    const letters = lettersOf(text)
    const searches = [1, 2, 3, 4, letters.length - 1, letters.length].flatMap(count => {
      const beginning = letters.slice(0, count).join('')
      return [beginning, beginning.toUpperCase(), beginning.toLowerCase(), beginning.normalize('NFD')]
    })
    const missed = searches.filter(search => search !== '' && !begins(text, search))
    t.strictSame(missed, [], text.slice(0, 20))
  }
})

const titles = [
  ...['木漏れ日', 'となりのトトロ', 'カウボーイビバップ', '千と千尋の神隠し', '君の名は。', '進撃の巨人', '転生したらスライムだった件'],
  ...['新世紀エヴァンゲリオン', '劇場版「鬼滅の刃」無限列車編', 'ｶﾞｰﾙｽﾞ&ﾊﾟﾝﾂｧｰ', 'iPhone版となりの物語'],
  ...['长城的秘密', '卧虎藏龙', '霸王别姬', '花樣年華', '舌尖上的中国第2季', '琅琊榜之风起长林'],
  ...['บุพเพสันนิวาส', 'พี่มากพระโขนง', 'ฉลาดเกมส์โกง', 'เลือดข้นคนจาง', 'แม่เบี้ย', 'องค์บาก 2'],
  ...['សម្លេងពីទន្លេ', 'ព្រះថោងនាងនាគ', 'ដំបងក្រញូង'],
  ...['ຮັກແຕ່ໃດໆມາ', 'ສະບາຍດີຫຼວງພະບາງ', 'ນ້ອງຮັກ'],
  ...['မြန်မာ့ဇာတ်လမ်း', 'ရွှေမန်းသူ', 'သင်္ကြန်မိုး']
]

t.test('each beginning of a title finds it, whatever the segmenter sees in it', async t => {
  for (const title of titles) {
    const letters = lettersOf(title)
    const missed = letters.map((_, last) => letters.slice(0, last + 1).join('')).filter(beginning => !begins(title, beginning))
    t.strictSame(missed, [], title)
  }
})

t.test('words of a script without spaces are found one by one and together', async t => {
  for (const search of ['トト', 'トトロ', 'トトロとなり', 'の', 'となりの トトロ']) t.ok(begins('となりのトトロ', search), search)
  for (const search of ['トロ', 'トトロの森', 'となりの 森']) t.notOk(begins('となりのトトロ', search), search)
  for (const search of ['iPhone', 'iph', '版', 'iPhone版と', '物語']) t.ok(begins('iPhone版となりの物語', search), search)
  t.ok(finds('トトロとなりの', ['となり', 'の', 'トトロ']), 'also if only whole words are stored')
})

t.test('a word that is repeated is looked for once', async t => {
  t.equal(searchWordsOf('ridge Ridge').length, 1)
  t.equal(searchWordsOf('的'.repeat(200)).length, 1, 'also within a run')
})

t.test('long words are told apart up to the maximum length of a search', async t => {
  const long = 'x'.repeat(199)
  t.notOk(begins(`${long}a`, `${long}b`))
  t.ok(begins('木'.repeat(300), '木'.repeat(250)))
})

t.test('a text as a whole has neither case nor accents, punctuation nor spaces', async t => {
  for (const text of ['Spider-Man: Été', 'spiderman ete', 'SPIDER MAN ETE!', '  spider-man... été']) t.equal(wholeOf(text), '=spidermanete')
  t.equal(wholeOf('木'.repeat(300)), wholeOf('木'.repeat(250)))
})

t.test('how many typos a word may have', async t => {
  const words: [string, number][] = [
    ['rust', 0],
    ['ridge', 1],
    ['mountain', 1],
    ['mountains', 2],
    ['Mœur', 1],
    ['élan', 0],
    ['se7en', 0],
    ['2001', 0],
    ['mountains2', 0],
    ['१२३४५६', 0],
    ['Ёлочка', 1],
    ['स्त्री', 0],
    ['東京タワーの秘密', 0],
    ['ภาษาไทย', 0]
  ]
  for (const [word, typos] of words) t.strictSame(new Set(searchWordsOf(word).map(found => found.typos)), new Set([typos]), word)
  t.strictSame(
    searchWordsOf('iPhone版').map(({ typos }) => typos),
    [0, 0],
    'none of the words of a run'
  )
})

t.test('punctuation of any script separates words', async t => {
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
