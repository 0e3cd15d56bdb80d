import t from 'tap'
import { notFound } from '../helpers/answers.js'
import { type App, buildWith } from '../helpers/app.js'
import { legal } from '../helpers/documents.js'

const languages = ['en', 'en-gb', 'de', 'nl', 'sv', 'pt-br']
const seed = { legal_documents: languages.map(language => legal(language)) }

const ask = (app: App, url: string, accepted?: string) =>
  app.inject({ url, headers: accepted === undefined ? {} : { 'accept-language': accepted } })

t.test('GET /legal/{languageCode}', async t => {
  const app = await buildWith(t, seed)

  t.test('gives the document in the language', async t => {
    const response = await ask(app, '/legal/de')
    t.equal(response.statusCode, 200)
    t.strictSame(response.json(), {
      success: true,
      data: { title: 'Terms in de', sections: [{ title: 'Cookies', content: '<p>Cookies in de</p>' }] }
    })
  })

  const paths: [string, string][] = [
    ['en', 'en'],
    ['EN', 'en'],
    ['en-us', 'en'],
    ['en-US', 'en'],
    ['en-gb', 'en-gb'],
    ['EN-GB', 'en-gb'],
    ['de-at', 'de'],
    ['nl', 'nl'],
    ['Sv', 'sv'],
    ['pt-br', 'pt-br']
  ]
  for (const [code, language] of paths) {
    t.test(`${code} is ${language}`, async t => {
      const response = await ask(app, `/legal/${code}`, 'nl')
      t.equal(response.json().data.title, `Terms in ${language}`, 'whatever languages the caller accepts')
      t.equal(String(response.headers['content-language']).toLowerCase(), language)
      t.notMatch(response.headers.vary ?? '', /accept-language/i)
    })
  }

  for (const code of ['fr', 'pt', 'pt-pt', 'e', 'eng', '*', '-', 'en_us', '%20en', '__proto__', 'constructor', '%00', 'x'.repeat(1000)]) {
    t.test(`answers not found to ${code.slice(0, 20)}`, async t => {
      const response = await ask(app, `/legal/${code}`, 'en')
      t.equal(response.statusCode, 404)
      t.strictSame(response.json(), notFound)
    })
  }
  t.test('knows nothing below a language', async t => t.equal((await ask(app, '/legal/en/more')).statusCode, 404))
})

t.test('GET /legal', async t => {
  const app = await buildWith(t, seed)
  const accepted: [string | undefined, string][] = [
    [undefined, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['DE', 'de'],
    ['de-AT', 'de'],
    ['en-us', 'en'],
    ['en-GB,en;q=0.9', 'en-gb'],
    ['fr', 'en'],
    ['fr, nl', 'nl'],
    ['nl;q=0.5, sv;q=0.8, de;q=0.7', 'sv'],
    ['nl;q=0.5,sv;q=0.51', 'sv'],
    ['nl , sv', 'nl'],
    ['fr-ch, fr;q=0.9, sv-fi;q=0.8, *;q=0.5', 'sv'],
    ['de;q=0, nl', 'nl'],
    ['de;q=0', 'en'],
    ['de;q=0.000, sv;q=0.001', 'sv'],
    ['*', 'en'],
    ['*;q=0.5, nl', 'nl'],
    ['fr, *', 'en'],
    ['pt-BR', 'pt-br'],
    ['pt', 'en'],
    [';;;,,,q=', 'en'],
    [',', 'en'],
    ['de;q=x, nl', 'nl'],
    ['\u0001\u0002', 'en'],
    ['__proto__', 'en'],
    ['a'.repeat(10_000), 'en'],
    [`${'x,'.repeat(19)}sv`, 'sv'],
    [`${'x,'.repeat(20)}sv`, 'en'],
    [`${' ,'.repeat(3000)}sv`, 'sv']
  ]
  for (const [header, language] of accepted) {
    t.test(`${JSON.stringify(header)?.slice(0, 40)} is ${language}`, async t => {
      const response = await ask(app, '/legal', header)
      t.equal(response.statusCode, 200)
      t.equal(response.json().data.title, `Terms in ${language}`)
      t.equal(String(response.headers['content-language']).toLowerCase(), language)
      t.match(response.headers.vary, /\baccept-language\b/i)
    })
  }

  t.test('/legal/ is the same', async t => {
    const response = await ask(app, '/legal/', 'sv')
    t.equal(response.statusCode, 200)
    t.equal(response.json().data.title, 'Terms in sv')
    t.equal(response.headers['content-language'], 'sv')
    t.match(response.headers.vary, /\baccept-language\b/i)
  })
})

t.test('the default language', async t => {
  t.test('is a setting', async t => {
    const app = await buildWith(t, seed, { settings: { DEFAULT_LANGUAGE: 'NL' } })
    t.equal((await ask(app, '/legal')).headers['content-language'], 'nl')
    t.equal((await ask(app, '/legal', 'fr')).headers['content-language'], 'nl')
    t.equal((await ask(app, '/legal', 'en')).headers['content-language'], 'en')
    t.equal((await ask(app, '/legal/fr')).statusCode, 404, 'other languages are not available')
  })

  t.test('that is not there', async t => {
    const app = await buildWith(t, { legal_documents: [legal('de')] })
    for (const url of ['/legal', '/legal/', '/legal/en']) {
      const response = await ask(app, url)
      t.equal(response.statusCode, 404, url)
      t.strictSame(response.json(), notFound)
    }
    t.equal((await ask(app, '/legal', 'de')).statusCode, 200)
  })
})
