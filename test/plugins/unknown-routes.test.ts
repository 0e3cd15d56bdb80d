import { METHODS } from 'node:http'
import t from 'tap'
import { assertFailure, expectedFailure, failureOf, malformed, post } from '../helpers/answers.js'
import { addUser, build, password } from '../helpers/app.js'
import { paths } from './helper.js'

// CONNECT asks a proxy for a tunnel and names no path.
const methods = METHODS.filter(method => method !== 'CONNECT')
const common = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']
type Method = 'GET'

t.test('the service', async t => {
  const app = await build(t, { settings: { LOGIN_LIMIT: '0' } })
  const { email } = await addUser(app)
  const credentials = JSON.stringify({ email, password })

  t.test('does not find an unknown path, whatever the method', async t => {
    for (const method of methods) {
      const response = await app.inject({ method: method as Method, url: '/nothing/here' })
      if (method === 'HEAD') t.equal(response.statusCode, 404)
      else t.strictSame([response.statusCode, response.json()], [404, { success: false, code: 404, message: 'Resource not found' }], method)
    }
  })

  t.test('does not find an unknown path, whatever the body', async t => {
    const bodies = [malformed, '', '[]', 'null', Buffer.from([0xff, 0xfe]), 'x'.repeat(70_000), '{"__proto__":1}']
    for (const payload of bodies)
      assertFailure(t, await post(app, '/nothing', payload), 404, String(payload).slice(0, 10), 'Resource not found')
  })

  t.test('does not find a path that is only like a known one', async t => {
    const near = [
      '/',
      '/Health',
      '/LOGIN',
      '/health/',
      '/login/',
      '/logout/',
      '/login/refresh/',
      '//login',
      '/login//refresh',
      '/login/other',
      '/health;x',
      '/.',
      '/login.json',
      `/${'x'.repeat(8000)}`,
      '/%00',
      '/log%69n/x',
      '/__proto__',
      '/constructor',
      '/*',
      '/:id'
    ]
    for (const url of near) {
      assertFailure(t, await post(app, url, credentials), 404, `POST ${url.slice(0, 20)}`, 'Resource not found')
      assertFailure(t, await app.inject(url), 404, `GET ${url.slice(0, 20)}`, 'Resource not found')
    }
  })

  t.test('knows a path however it is written, for rare methods as for common ones', async t => {
    for (const url of ['/login?x=/y', '/log%69n', '/docs/static/x.css'])
      for (const method of ['PATCH', 'PROPFIND']) {
        const { statusCode, headers } = await app.inject({ method: method as Method, url })
        t.strictSame([statusCode, headers.allow], [405, url.startsWith('/docs') ? 'GET, HEAD' : 'POST'], `${method} ${url}`)
      }
    for (const method of ['PATCH', 'PROPFIND'])
      t.equal((await app.inject({ method: method as Method, url: '/login%2Frefresh' })).statusCode, 404, method)
  })

  for (const [url, allowed] of Object.entries(paths)) {
    const wrong = methods.filter(method => !allowed.includes(method))
    for (const [kind, names] of [
      ['common', wrong.filter(method => common.includes(method))],
      ['rare', wrong.filter(method => !common.includes(method))]
    ] as const) {
      t.test(`refuses ${kind} methods that ${url} has not, and says which it has`, async t => {
        const seen = []
        for (const method of names) {
          for (const payload of [undefined, malformed]) {
            const headers = payload ? { 'content-type': 'application/json' } : {}
            const response = await app.inject({ method: method as Method, url, headers, ...(payload ? { payload } : {}) })
            const allow = String(response.headers.allow ?? '').split(', ')
            seen.push([method, ...allow.sort(), method === 'HEAD' ? response.statusCode : failureOf(response)])
          }
        }
        t.strictSame(
          seen,
          names.flatMap(method =>
            [undefined, malformed].map(() => [method, ...[...allowed].sort(), method === 'HEAD' ? 405 : expectedFailure(405)])
          )
        )
      })
    }
  }
})
