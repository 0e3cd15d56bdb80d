import t from 'tap'
import { notFound } from '../helpers/answers.js'
import { type App, buildWith } from '../helpers/app.js'
import { legal, supportText } from '../helpers/documents.js'

const seed = {
  legal_documents: ['en', 'en-gb', 'de', 'nl', 'sv', 'pt-br'].map(language => legal(language)),
  support_texts: [
    supportText(1, 'en'),
    supportText(1, 'de'),
    supportText(1, 'en-gb'),
    supportText(2, 'en'),
    supportText(3, 'sv'),
    supportText(3, 'nl'),
    supportText(4, 'en', { context: 'billing' }),
    supportText(4, 'de', { context: 'billing' }),
    supportText(5, 'en', { context: 'Ärger & more/less' })
  ]
}

const ask = (app: App, url: string, accepted?: string) =>
  app.inject({ url, headers: accepted === undefined ? {} : { 'accept-language': accepted } })

const app = await buildWith(t, seed)

t.test('GET /legal/{languageCode}', async t => {
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

t.test('the default language of legal documents', async t => {
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

interface Text {
  id: number
  language: string
}
const textsOf = async (app: App, url: string, accepted?: string) => {
  const response = await app.inject({ url, headers: accepted === undefined ? {} : { 'accept-language': accepted } })
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode} ${response.body}`)
  return Object.fromEntries(response.json().data.map(({ id, language }: Text) => [id, language]))
}
const playback = '/support/context/playback/texts'
const all = '/support/context//texts'

t.test('GET /support/context/{context}/texts', async t => {
  t.test('gives the texts of the context', async t => {
    const response = await app.inject('/support/context/billing/texts')
    t.equal(response.statusCode, 200)
    t.strictSame(response.json(), {
      success: true,
      data: [
        {
          id: 4,
          context: 'billing',
          language: 'en',
          title: 'Title 4 in en',
          content: 'Content 4 in en',
          created_at: '2020-01-02T03:04:05.678000Z',
          updated_at: '2020-01-02T03:04:05.678000Z'
        }
      ]
    })
    t.match(response.headers.vary, /\baccept-language\b/i)
  })

  t.test('gives the texts of every context where it is left empty', async t => {
    t.strictSame(Object.keys(await textsOf(app, all)), ['1', '2', '3', '4', '5'])
    t.strictSame((await app.inject({ url: all, headers: { 'accept-language': 'de' } })).json().data[3].title, 'Title 4 in de')
  })

  t.test('knows nothing of an unknown context', async t => {
    for (const context of ['unknown', 'play', 'PLAYBACK ', '__proto__', 'constructor', '%00', '.*', '*', 'x'.repeat(1000), '%20'])
      t.strictSame((await app.inject(`/support/context/${context}/texts`)).json(), { success: true, data: [] }, context.slice(0, 20))
  })

  t.test('reads an encoded context', async t => {
    t.strictSame(await textsOf(app, `/support/context/${encodeURIComponent('Ärger & more/less')}/texts`), { 5: 'en' })
  })

  const languages: [string | undefined, Record<number, string>][] = [
    [undefined, { 1: 'en', 2: 'en' }],
    ['de', { 1: 'de', 2: 'en' }],
    ['DE-at', { 1: 'de', 2: 'en' }],
    ['en-GB', { 1: 'en-gb', 2: 'en' }],
    ['fr', { 1: 'en', 2: 'en' }],
    ['de;q=0.5, en;q=0.6', { 1: 'en', 2: 'en' }],
    ['nl, de', { 1: 'de', 2: 'en', 3: 'nl' }],
    ['de, sv;q=0.2', { 1: 'de', 2: 'en', 3: 'sv' }],
    ['sv;q=0.1, nl;q=0.2', { 1: 'en', 2: 'en', 3: 'nl' }],
    ['*', { 1: 'en', 2: 'en' }],
    ['de;q=0', { 1: 'en', 2: 'en' }],
    [';;q=,,', { 1: 'en', 2: 'en' }]
  ]
  for (const [header, expected] of languages) {
    t.test(`accepting ${header}`, async t => {
      const texts = await textsOf(app, playback, header)
      t.match(texts, expected)
      t.strictSame(Object.keys(texts), ['1', '2', '3'], 'each text once, in however many languages')
    })
  }

  t.test('a text without the wanted and the default language comes in the first that it has', async t => {
    t.match((await textsOf(app, playback))[3], /^(sv|nl)$/)
  })

  t.test('other paths are not found', async t => {
    for (const url of [
      '/support',
      '/support/context',
      '/support/context/',
      '/support/context/playback',
      '/support/context/playback/texts/1',
      '/support/context/a/b/texts',
      '/support/context///texts'
    ])
      t.equal((await app.inject(url)).statusCode, 404, url)
  })
})

t.test('the default language of support texts is a setting', async t => {
  const app = await buildWith(
    t,
    { support_texts: [supportText(1, 'en'), supportText(1, 'de'), supportText(2, 'en')] },
    { settings: { DEFAULT_LANGUAGE: 'de' } }
  )
  t.strictSame(await textsOf(app, playback), { 1: 'de', 2: 'en' })
  t.strictSame(await textsOf(app, playback, 'en'), { 1: 'en', 2: 'en' })
  t.strictSame(await textsOf(app, playback, 'fr'), { 1: 'de', 2: 'en' })
})

t.test('a database without support texts', async t => {
  const app = await buildWith(t, {})
  for (const url of [playback, all]) t.strictSame((await app.inject(url)).json(), { success: true, data: [] })
})
