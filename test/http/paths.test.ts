import t from 'tap'
import { assertFailure, post } from '../helpers/answers.js'
import { addUser, build, password } from '../helpers/app.js'

t.test('the service', async t => {
  const app = await build(t, { settings: { LOGIN_LIMIT: '0' } })

  t.test('refuses malformed percent-encoding', async t => {
    for (const url of ['/%', '/login%', '/%zz', '/login%2', '/%E0%A4%A', '/%C3%28', '/%ff', '/docs/%', '/docs/static/%E0%A4%A']) {
      for (const method of ['GET', 'POST', 'DELETE'] as const) {
        assertFailure(t, await app.inject({ method, url }), 400, `${method} ${url}`)
      }
    }
  })

  t.test('answers odd queries and spellings of an address without a 500', async t => {
    for (const url of [
      '/health?',
      '/health?a=1&a=2',
      '/health?__proto__[x]=1',
      '/health?a[]=1&a[b]=2',
      `/health?${'a&'.repeat(3000)}`,
      '/health?x=%C3%A4',
      '/health#top'
    ]) {
      t.equal((await app.inject(url)).statusCode, 200, url.slice(0, 30))
    }
  })
})

t.test('BASE_PATH stands before every path', async t => {
  for (const base of ['/viewer', '/api/v1.0']) {
    const app = await build(t, { settings: { BASE_PATH: base } })
    const { email } = await addUser(app)
    for (const path of ['/health', '/ready', '/openapi.json']) {
      t.equal((await app.inject(base + path)).statusCode, 200, base + path)
      assertFailure(t, await app.inject(path), 404, path, 'Resource not found')
    }
    t.ok((await app.inject(`${base}/docs`)).statusCode < 400)
    assertFailure(t, await app.inject('/docs'), 404, '/docs', 'Resource not found')
    const credentials = JSON.stringify({ email, password })
    t.equal((await post(app, `${base}/login`, credentials)).statusCode, 200)
    assertFailure(t, await post(app, '/login', credentials), 404, '/login', 'Resource not found')
    assertFailure(t, await app.inject(base), 404, base, 'Resource not found')
    assertFailure(t, await app.inject(`${base}${base}/health`), 404, 'twice', 'Resource not found')
    const wrong = await app.inject(`${base}/login`)
    assertFailure(t, wrong, 405, 'a wrong method')
    t.equal(wrong.headers.allow, 'POST')
  }
})
