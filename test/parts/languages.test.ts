import t from 'tap'
import { acceptedLanguages, firstLanguage } from '../../src/languages.js'

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
    ['a;q=1.000, b;q=0.999', ['a', 'b']]
  ]
  for (const [header, languages] of headers) t.strictSame(acceptedLanguages(header), languages, String(header))

  t.test('makes something of anything', async t => {
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
})

t.test('firstLanguage', async t => {
  const has =
    (...languages: string[]) =>
    (language: string) =>
      languages.includes(language)
  t.equal(firstLanguage(['en-us'], has('en', 'en-us')), 'en-us')
  t.equal(firstLanguage(['en-us'], has('en')), 'en')
  t.equal(firstLanguage(['en'], has('en-us')), undefined)
  t.equal(firstLanguage(['fr', 'de-at'], has('de', 'en')), 'de')
  t.equal(firstLanguage(['de-at', 'nl'], has('nl', 'de')), 'de')
  t.equal(firstLanguage(['fr'], has('en')), undefined)
  t.equal(firstLanguage([], has('en')), undefined)
  t.equal(firstLanguage(['zh-hant-tw'], has('zh')), 'zh')
  t.equal(firstLanguage(['', '-', '--'], has('en')), undefined)
})
