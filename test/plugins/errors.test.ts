import t from 'tap'
import { notFound } from '../helpers/answers.js'
import { build } from '../helpers/app.js'

t.test('an internal error is a 500 that does not reveal it, and a log line that does', async t => {
  const log: string[] = []
  const app = await build(t, {
    log,
    extend: app =>
      app.get('/fault', { config: { admission: 'public' } }, async () => {
        throw new Error('a secret of the inside')
      })
  })
  const response = await app.inject('/fault')
  t.equal(response.statusCode, 500)
  t.strictSame(response.json(), { success: false, code: 500, message: 'Internal server error' })
  t.equal(response.headers['cache-control'], 'no-store')
  const told = log.map(line => JSON.parse(line)).filter(({ level }) => level >= 50)
  t.match(told, [{ level: 50, reqId: response.headers['x-request-id'], err: { message: 'a secret of the inside', stack: /errors\.test/ } }])
  t.equal(told.length, 1)
})

t.test('a 404 of a library has the body of the service', async t => {
  const app = await build(t, {
    extend: app =>
      app.get('/lost', { config: { admission: 'public' } }, async () => {
        throw app.httpErrors.notFound('words of a library')
      })
  })
  for (const url of ['/lost', '/docs/static/nothing.js']) {
    const response = await app.inject(url)
    t.equal(response.statusCode, 404, url)
    t.strictSame(response.json(), notFound, url)
  }
})
