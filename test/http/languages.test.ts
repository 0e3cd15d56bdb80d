import t from 'tap'
import { acceptedLanguages, existingLanguages } from '../../src/http/languages.js'

t.test('acceptedLanguages', async t => {
  const headers: [string | undefined, string[]][] = [
    [undefined, []],
    ['', []],
    ['de', ['de']],
    ['de-AT, EN;q=0.5', ['de-at', 'en']],
    ['a;q=0.1, b;q=0.9, c', ['c', 'b', 'a']],
    ['a, b, c', ['a', 'b', 'c']],
    ['a;q=0.5, b;q=0.5', ['a', 'b']],
    ['a;q=0, b', ['b']],
    ['a;q=0.0', []],
    ['a ; q=0.2 , b ; q=0.3', ['b', 'a']],
    ['a;q=1.000, b;q=0.999', ['a', 'b']],
    [',, ,a,\t,b', ['a', 'b']]
  ]
  for (const [header, languages] of headers) t.strictSame(acceptedLanguages(header), languages, String(header))

  t.test('accepts any header', async t => {
    for (const header of [
      ',',
      ';',
      'q=1',
      ';q=1',
      'de;q',
      'de;q=',
      'de;q=x',
      'de;q=9',
      'de;q=-1',
      '\u0000',
      '*',
      'a'.repeat(100_000),
      ','.repeat(100_000)
    ])
      t.ok(
        acceptedLanguages(header).every(language => typeof language === 'string' && language === language.toLowerCase()),
        header.slice(0, 20)
      )
  })

  t.test('counts the first 20 of a header, by their weights', async t => {
    const many = Array.from({ length: 5000 }, (_, i) => `l${i}`)
    t.strictSame(acceptedLanguages(many.join()), many.slice(0, 20))
    t.strictSame(acceptedLanguages(many.map((language, i) => `${language};q=${(i + 1) / 5000}`).join()), many.slice(0, 20).reverse())
    t.strictSame(acceptedLanguages(`${',, ,'.repeat(4000)}de`), ['de'], 'empty elements are skipped')
  })

  t.test('ignores entries that are longer than any language', async t => {
    const long = 'a'.repeat(1000)
    t.strictSame(acceptedLanguages(`${long}, de, en;${long};q=1, nl;q=0.${'9'.repeat(1000)}, sv;q=0.5`), ['de', 'sv'])
    t.strictSame(acceptedLanguages(`${`${long},`.repeat(20)}de`), [], 'but it counts towards the limit')
  })
})

t.test('existingLanguages', async t => {
  const existing = (wanted: string[], ...languages: string[]) => existingLanguages(wanted, language => languages.includes(language))
  t.strictSame(existing(['en-us'], 'en', 'en-us'), ['en-us', 'en'])
  t.strictSame(existing(['en-us'], 'en'), ['en'])
  t.strictSame(existing(['en'], 'en-us'), [])
  t.strictSame(existing(['fr', 'de-at'], 'de', 'en'), ['de'])
  t.strictSame(existing(['de-at', 'nl'], 'nl', 'de'), ['de', 'nl'])
  t.strictSame(existing(['de-at', 'de', 'de-ch'], 'de'), ['de'], 'each language is listed once')
  t.strictSame(existing(['fr'], 'en'), [])
  t.strictSame(existing([], 'en'), [])
  t.strictSame(existing(['zh-hant-tw'], 'zh'), ['zh'])
  t.strictSame(existing(['', '-', '--'], 'en'), [])
})
