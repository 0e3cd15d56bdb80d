import t, { type Test } from 'tap'
import { type Answer, assertFailure } from '../helpers/answers.js'
import { type App, build } from '../helpers/app.js'
import { paths } from './helper.js'

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
    const app = await build(t)
    t.strictSame(corsHeaders(await app.inject({ url: '/health', headers: { origin: 'https://a.example' } })), [])
    const response = await preflight(app, '/login', 'https://a.example')
    t.equal(response.statusCode, 405)
    t.strictSame(corsHeaders(response), [])
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
    t.equal((await app.inject({ url: '/health', headers: { origin: 'https://any.example' } })).headers['access-control-allow-origin'], '*')
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
