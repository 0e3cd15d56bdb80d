import t from 'tap'
import { post } from '../helpers/answers.js'
import { type App, addUser, build, buildWith, password, signIn } from '../helpers/app.js'
import { change } from '../helpers/database.js'
import { content, legal, programme, rail, railCollection, supportText, term } from '../helpers/documents.js'

const seed = () => ({
  contents: [content(1, { weight: 9 }), content(2)],
  terms: [term(1)],
  rail_collections: [railCollection(1, { type: 'show' }, { rails: [rail(1, { type: 'show' })] })],
  legal_documents: [legal('en'), legal('de')],
  support_texts: [supportText(1, 'en'), supportText(1, 'de')],
  programmes: [programme(1, 1, '2026-03-01T10:00:00Z', '2026-03-01T11:00:00Z')]
})

const cacheable = [
  '/contents',
  '/contents?type=show&perPage=1',
  '/contents?search=content',
  '/contents?type=nothing',
  '/contents/1',
  '/terms',
  '/terms/1',
  '/rail-collections',
  '/rail-collections?with=rails',
  '/legal',
  '/legal/',
  '/legal/de',
  '/support/context/playback/texts',
  '/support/context//texts'
]
const get = (app: App, url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })

t.test('public answers', async t => {
  const app = await buildWith(t, seed())

  for (const url of cacheable) {
    t.test(url, async t => {
      const first = await get(app, url)
      const etag = String(first.headers.etag)
      t.equal(first.statusCode, 200)
      t.match(etag, /^(W\/)?"[\x21\x23-\x7e]+"$/)
      t.equal(first.headers['cache-control'], 'public, no-cache')
      t.equal((await get(app, url)).headers.etag, etag, 'the same answer has the same tag')

      const opaque = etag.replace(/^W\//, '')
      const known = [etag, opaque, `W/${opaque}`, `"other", ${etag}`, `"other",${etag},"more"`, `${etag} , W/"x"`, '*', `  ${etag}  `]
      for (const names of known) {
        const response = await get(app, url, { 'if-none-match': names })
        const { statusCode, body, headers } = response
        t.strictSame(
          { statusCode, body, etag: headers.etag, caching: headers['cache-control'], vary: headers.vary, type: headers['content-type'] },
          { statusCode: 304, body: '', etag, caching: 'public, no-cache', vary: first.headers.vary, type: undefined },
          names
        )
      }
      for (const names of [
        '"other"',
        opaque.slice(1, -1),
        `${opaque.slice(0, -2)}"`,
        '',
        'W/',
        '"*"',
        `x${opaque}`,
        ',,,',
        '"'.repeat(1000)
      ]) {
        const response = await get(app, url, { 'if-none-match': names })
        t.strictSame([response.statusCode, response.body], [200, first.body], names.slice(0, 40))
      }

      const head = await app.inject({ method: 'HEAD', url })
      t.equal(head.statusCode, 200)
      t.equal(head.body, '')
      t.equal(head.headers.etag, etag)
      t.equal(head.headers['cache-control'], 'public, no-cache')
      t.equal(head.headers['content-type'], first.headers['content-type'])
      t.equal(Number(head.headers['content-length']), first.rawPayload.length)
      t.equal((await app.inject({ method: 'HEAD', url, headers: { 'if-none-match': etag } })).statusCode, 304)
    })
  }

  t.test('that differ have different tags', async t => {
    const answers = await Promise.all(cacheable.map(url => get(app, url)))
    const pairs = answers.flatMap(one => answers.map(other => ({ one, other })))
    t.strictSame(
      pairs.map(({ one, other }) => one.headers.etag === other.headers.etag),
      pairs.map(({ one, other }) => one.body === other.body)
    )
    t.not((await get(app, '/legal', { 'accept-language': 'de' })).headers.etag, (await get(app, '/legal')).headers.etag)
    t.not((await get(app, '/terms?perPage=5')).headers.etag, (await get(app, '/terms')).headers.etag)
  })

  t.test('do not depend on who asks', async t => {
    const headers = await signIn(app)
    for (const url of ['/contents', '/terms', '/rail-collections', '/legal', '/support/context//texts']) {
      const [mine, anyone] = [await get(app, url, headers), await get(app, url)]
      t.equal(mine.headers.etag, anyone.headers.etag, url)
      t.equal((await get(app, url, { authorization: 'Bearer nonsense' })).statusCode, 200, 'a token makes no difference')
    }
  })

  t.test('the schedule is public too', async t => {
    const response = await get(app, '/schedule?from=2026-03-01T10:00:00Z')
    t.match(response.headers['cache-control'], /^public/)
  })
})

t.test('all other answers must not be stored', async t => {
  const app = await buildWith(t, seed())
  const headers = await signIn(app)
  const answers = [
    await app.inject({ method: 'POST', url: '/login', payload: { email: 'nobody@example.com', password: 'x' } }),
    await app.inject({ method: 'POST', url: '/login/refresh', payload: { refresh_token: 'x' } }),
    await app.inject({ method: 'POST', url: '/logout', headers }),
    await get(app, '/contents?perPage=0'),
    await get(app, '/contents/99'),
    await get(app, '/terms/99'),
    await get(app, '/legal/xx'),
    await get(app, '/nowhere'),
    await app.inject({ method: 'DELETE', url: '/contents' }),
    await get(app, '/contents/99', { 'if-none-match': '*' })
  ]
  for (const { headers, statusCode, raw } of answers) {
    const what = `${raw.req.method} ${raw.req.url} ${statusCode}`
    t.match(headers['cache-control'], /\bno-store\b/, what)
    t.notMatch(headers['cache-control'], /\bpublic\b/, what)
    t.equal(headers.etag, undefined, what)
  }
  const personal = await get(app, '/history', await signIn(app))
  t.equal(personal.statusCode, 200)
  t.equal(personal.headers['cache-control'], 'private, no-store')
})

t.test('a tag changes with its answer', async t => {
  const app = await buildWith(t, seed())
  const tags = async () => Object.fromEntries(await Promise.all(cacheable.map(async url => [url, (await get(app, url)).headers.etag])))
  const changed = (before: Record<string, string>, after: Record<string, string>) =>
    cacheable.filter(url => before[url] !== after[url]).sort()
  const about = (...starts: string[]) => cacheable.filter(url => starts.some(start => url.startsWith(start))).sort()
  const changes: [Parameters<typeof change>[1], number | string, object, string[]][] = [
    ['contents', 1, { name: 'Another' }, about('/contents').filter(url => url !== '/contents?type=nothing')],
    ['terms', 1, { name: 'Another' }, about('/terms')],
    ['rail_collections', 1, { name: 'Another' }, about('/rail')],
    ['legal_documents', 'de', { title: 'Anderes' }, ['/legal/de']],
    ['support_texts', '1/en', { title: 'Another' }, about('/support')]
  ]
  for (const [kind, id, fields, urls] of changes) {
    const before = await tags()
    await change(app, kind, id, fields)
    await app.catalogue.refresh()
    t.strictSame(changed(before, await tags()), urls, kind)
    for (const url of urls) {
      const response = await get(app, url, { 'if-none-match': String(before[url]) })
      t.equal(response.statusCode, 200, `a caller with the previous tag gets the new ${url}`)
    }
  }
})

t.test('tokens are kept out of caches', async t => {
  const app = await build(t, { settings: { LOGIN_LIMIT: '0' } })
  const { email } = await addUser(app)
  const credentials = JSON.stringify({ email, password })
  const answer = await post(app, '/login', credentials)
  t.match(answer.headers['cache-control'], /no-store/)
})
