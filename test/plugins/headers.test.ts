import helmet from '@fastify/helmet'
import sensible from '@fastify/sensible'
import fastify from 'fastify'
import t, { type Test } from 'tap'
import replies from '../../plugins/replies.js'
import { list, okBytes } from '../../src/catalogue/bytes.js'
import { withETag } from '../../src/catalogue/public-responses.js'
import { securityHeaders } from '../../src/http/reply.js'
import { type Answer, assertFailure, post } from '../helpers/answers.js'
import { type App, addUser, build, buildWith, password, signIn } from '../helpers/app.js'
import { change } from '../helpers/database.js'
import { content, legal, programme, rail, railCollection, supportText, term } from '../helpers/documents.js'
import { paths } from './helper.js'

t.test('cache headers', async t => {
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

  t.test('a route may choose another one', async t => {
    const app = fastify()
    await app.register(sensible)
    await app.register(replies)
    app.decorateRequest('viewer', null)
    app.addHook('onRequest', async request => {
      if (request.headers.authorization) request.viewer = { id: 1, account: 1, maxAge: 12 }
    })
    app.get('/', (_request, reply) => reply.publicJson(withETag(okBytes(list([]))), { headers: { 'cache-control': 'public, max-age=60' } }))
    const cacheControlFor = async (headers = {}) => (await app.inject({ url: '/', headers })).headers['cache-control']
    t.equal(await cacheControlFor(), 'public, max-age=60')
    t.equal(await cacheControlFor({ authorization: 'Bearer x' }), 'private, no-cache', 'but not for a viewer with an age limit')
  })

  t.test('tokens are kept out of caches', async t => {
    const app = await build(t, { settings: { LOGIN_LIMIT: '0' } })
    const { email } = await addUser(app)
    const credentials = JSON.stringify({ email, password })
    const answer = await post(app, '/login', credentials)
    t.match(answer.headers['cache-control'], /no-store/)
  })
})

t.test('CORS', async t => {
  t.test('CORS', async t => {
    const preflight = (app: App, url: string, origin: string, method = 'POST') =>
      app.inject({
        method: 'OPTIONS',
        url,
        headers: {
          origin,
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization,content-type,format,if-none-match,viewer-profile'
        }
      })
    const words = (value: unknown) =>
      String(value ?? '')
        .toLowerCase()
        .split(/\s*,\s*/)
    const assertAllowed = (t: Test, { statusCode, headers }: Answer, origin: string) => {
      const allowed = new Set(words(headers['access-control-allow-headers']))
      const refused = ['authorization', 'content-type', 'format', 'if-none-match', 'viewer-profile'].filter(name => !allowed.has(name))
      t.strictSame([[200, 204].includes(statusCode), headers['access-control-allow-origin'], refused], [true, origin, []])
    }
    const corsHeaders = ({ headers }: Answer) => Object.keys(headers).filter(name => name.startsWith('access-control-'))

    t.test('is off without CORS_ORIGIN', async t => {
      const log: string[] = []
      const app = await build(t, { log })
      t.strictSame(corsHeaders(await app.inject({ url: '/health', headers: { origin: 'https://a.example' } })), [])
      const warnings = () => log.map(line => JSON.parse(line)).filter(({ level }) => level >= 40)
      t.strictSame(warnings(), [])
      for (let i = 0; i < 3; i++) {
        const response = await preflight(app, '/login', 'https://a.example')
        t.equal(response.statusCode, 405)
        t.strictSame(corsHeaders(response), [])
      }
      t.match(warnings(), [{ origin: 'https://a.example', msg: /CORS_ORIGIN/ }])
      t.equal(warnings().length, 1, 'the log names the setting once')
    })

    t.test('allows any port of an origin with :*', async t => {
      const log: string[] = []
      const app = await build(t, { log, settings: { CORS_ORIGIN: 'https://a.example, http://localhost:*' } })
      for (const origin of ['http://localhost', 'http://localhost:5173', 'http://localhost:8080', 'https://a.example'])
        assertAllowed(t, await preflight(app, '/login', origin), origin)
      const warnings = () => log.map(line => JSON.parse(line)).filter(({ level }) => level >= 40)
      t.strictSame(warnings(), [])
      for (const origin of [
        'https://localhost:8080',
        'http://localhost.example:80',
        'http://localhost:8080.example',
        'http://localhost:*',
        'https://a.example:1'
      ])
        t.equal((await preflight(app, '/login', origin)).headers['access-control-allow-origin'], undefined, origin)
      t.match(warnings(), [{ origin: 'https://localhost:8080', msg: /CORS_ORIGIN/ }])
      t.equal(warnings().length, 1)
    })

    t.test('allows the origins of the list', async t => {
      const app = await build(t, { settings: { CORS_ORIGIN: 'https://a.example, http://localhost:8080' } })
      for (const origin of ['https://a.example', 'http://localhost:8080']) {
        for (const [path, methods] of Object.entries(paths)) {
          for (const method of methods) {
            const response = await preflight(app, path, origin, method)
            assertAllowed(t, response, origin)
            const { vary, 'access-control-allow-methods': named } = response.headers
            t.strictSame([words(named).includes(method.toLowerCase()), words(vary).includes('origin')], [true, true], `${method} ${path}`)
          }
        }
        const headers = { origin }
        const answers = [
          await app.inject({ url: '/health', headers }),
          await app.inject({ url: '/nothing', headers }),
          await app.inject({ url: '/login', headers }),
          await app.inject({ url: '/%', headers }),
          await app.inject({ method: 'POST', url: '/logout', headers }),
          await app.inject({ method: 'POST', url: '/login', headers, payload: {} })
        ]
        t.strictSame(
          answers.map(({ statusCode }) => statusCode),
          [200, 404, 405, 400, 401, 400]
        )
        for (const answer of answers) {
          t.equal(answer.headers['access-control-allow-origin'], origin, String(answer.statusCode))
          t.ok(words(answer.headers.vary).includes('origin'), String(answer.statusCode))
          const exposed = words(answer.headers['access-control-expose-headers'])
          const hidden = ['date', 'etag', 'location', 'retry-after', 'x-request-id'].filter(name => !exposed.includes(name))
          t.strictSame(hidden, [], String(answer.statusCode))
        }
      }
    })

    t.test('allows no other origin', async t => {
      const app = await build(t, { settings: { CORS_ORIGIN: 'https://a.example' } })
      for (const origin of [
        'https://b.example',
        'https://a.example.evil.com',
        'http://a.example',
        'https://a.example:8443',
        'null',
        'https://xa.example'
      ]) {
        for (const response of [await preflight(app, '/login', origin), await app.inject({ url: '/health', headers: { origin } })]) {
          t.not(response.headers['access-control-allow-origin'], origin)
          t.not(response.headers['access-control-allow-origin'], '*')
        }
      }
      t.ok(words((await app.inject('/health')).headers.vary).includes('origin'), 'caches must not mix answers with and without an origin')
    })

    t.test('allows any origin with *', async t => {
      const app = await build(t, { settings: { CORS_ORIGIN: '*' } })
      assertAllowed(t, await preflight(app, '/login', 'https://any.example'), '*')
      t.equal(
        (await app.inject({ url: '/health', headers: { origin: 'https://any.example' } })).headers['access-control-allow-origin'],
        '*'
      )
    })

    t.test('answers an OPTIONS that is no preflight as without it', async t => {
      const origin = 'https://a.example'
      const method = { 'access-control-request-method': 'POST' }
      for (const CORS_ORIGIN of [origin, '*']) {
        const app = await build(t, { settings: { CORS_ORIGIN } })
        for (const headers of [{}, { origin }, method, { origin, 'access-control-request-headers': 'authorization' }]) {
          const ask = (url: string) => app.inject({ method: 'OPTIONS', url, headers: headers as Record<string, string> })
          for (const [url, allowed] of Object.entries(paths)) {
            const response = await ask(url)
            assertFailure(t, response, 405, url)
            const { allow, 'access-control-allow-origin': shared, ...others } = response.headers
            t.strictSame(
              [words(allow).sort(), shared, others['access-control-allow-methods'], others['access-control-max-age']],
              [
                allowed.map(name => name.toLowerCase()).sort(),
                CORS_ORIGIN === '*' || 'origin' in headers ? CORS_ORIGIN : undefined,
                undefined,
                undefined
              ],
              url
            )
          }
          for (const url of ['/nothing', '/', '*']) assertFailure(t, await ask(url), 404, url, 'Resource not found')
          assertFailure(t, await ask('/%'), 400, 'malformed percent-encoding')
        }
        t.equal((await preflight(app, '/nothing', origin)).statusCode, 204)
      }
    })

    t.test('shows a 429 to web apps', async t => {
      const app = await build(t, { settings: { CORS_ORIGIN: '*', RATE_LIMIT_ADDRESS: '1' } })
      const headers = { origin: 'https://any.example' }
      await app.inject({ url: '/nothing', headers })
      const response = await app.inject({ url: '/nothing', headers })
      t.equal(response.statusCode, 429)
      t.equal(response.headers['access-control-allow-origin'], '*')
      t.match(response.headers['access-control-expose-headers'], /retry-after/i)
    })
  })
})

t.test('forwarded headers', async t => {
  t.test('a forwarded address without TRUST_PROXY makes one warning', async t => {
    for (const name of ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']) {
      const log: string[] = []
      const app = await build(t, { log })
      await app.inject('/health')
      const before = log.length
      t.strictSame(
        log.filter(line => JSON.parse(line).level >= 40),
        []
      )
      for (let i = 0; i < 3; i++) await app.inject({ url: '/nothing', headers: { [name]: '198.51.100.1' } })
      const warnings = log.slice(before).filter(line => JSON.parse(line).level >= 40)
      t.equal(warnings.length, 1, name)
      t.match(warnings[0], /TRUST_PROXY/, name)
    }
    const log: string[] = []
    const app = await build(t, { log, settings: { TRUST_PROXY: '1' } })
    await app.inject({ url: '/nothing', headers: { 'x-forwarded-for': '198.51.100.1' } })
    t.strictSame(
      log.filter(line => JSON.parse(line).level >= 40),
      []
    )
  })
})

t.test('security headers', async t => {
  const ofPages = [
    'cross-origin-opener-policy',
    'origin-agent-cluster',
    'x-dns-prefetch-control',
    'x-download-options',
    'x-permitted-cross-domain-policies',
    'x-xss-protection'
  ]

  /** Every header that helmet adds to an answer. */
  const advised = async () => {
    const app = fastify()
    app.get('/bare', async () => '')
    await app.register(async scope => {
      await scope.register(helmet, {
        contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } }
      })
      scope.get('/helmeted', async () => '')
    })
    const { headers: own } = await app.inject('/bare')
    const { headers } = await app.inject('/helmeted')
    return Object.entries(headers).filter(([name]) => !(name in own))
  }

  t.test('every header that helmet advises is sent, or is known to matter to pages alone', async t => {
    const all = await advised()
    t.strictSame(
      all.filter(([name]) => !ofPages.includes(name)),
      Object.entries(securityHeaders)
    )
    t.strictSame(
      ofPages.filter(page => !all.some(([name]) => name === page)),
      [],
      'every header of this list is one that helmet advises'
    )

    const app = await build(t)
    const { headers } = await app.inject('/health')
    t.strictSame(
      Object.entries(headers).filter(([name]) => name in securityHeaders),
      Object.entries(securityHeaders)
    )
  })

  t.test('every answer protects browsers, and does not reveal the software behind it', async t => {
    const app = await build(t)
    for (const url of ['/health', '/nothing', '/login', '/%', '/openapi.json', '/docs']) {
      const { headers } = await app.inject(url)
      t.equal(headers['x-content-type-options'], 'nosniff', url)
      t.match(headers['content-security-policy'], /default-src/, url)
      t.match(headers['strict-transport-security'], /max-age=\d+/, url)
      t.ok(headers['x-frame-options'] || /frame-ancestors/.test(String(headers['content-security-policy'])), url)
      t.strictSame([headers['x-powered-by'], headers.server], [undefined, undefined], url)
    }
  })
})
