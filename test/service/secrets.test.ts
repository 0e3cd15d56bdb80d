import { MongoClient } from 'mongodb'
import t from 'tap'
import { usersOf } from '../../src/data/users.js'
import { hashPassword } from '../../src/identity/passwords.js'
import { password, secret } from '../helpers/app.js'
import { databaseUrl } from '../helpers/database.js'
import { proxyTo } from '../helpers/proxy.js'
import { serving } from '../helpers/serving.js'

t.test('the log of a process at the level trace, from its start to its end, has no secret', async t => {
  const url = await databaseUrl(t)
  const client = await MongoClient.connect(url)
  t.teardown(() => client.close())
  const pwd = 'hunter2-of-the-database'
  await client.db().command({ createUser: 'viewer', pwd, roles: ['readWrite'] })
  t.teardown(() => client.db().command({ dropUser: 'viewer' }))
  const email = 'ada@example.com'
  const password_hash = await hashPassword(password)
  await usersOf(client.db()).add({ email, name: 'Ada', password_hash })

  const proxy = await proxyTo(t, url)
  const MONGO_URL = proxy.url.replace('//', `//viewer:${pwd}@`)
  const settings = { MONGO_URL, LOG_LEVEL: 'trace', LOGIN_LIMIT: '2', DRAIN_DELAY: '0', DATABASE_TIMEOUT: '500', CORS_ORIGIN: '*' }
  const { address, said, stop } = await serving(t, { settings })

  const secrets = new Set([pwd, secret, password, password_hash, 'a-wrong-password', 'Basic-of-somebody'])
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${address}${path}?token=in-the-query`, { method: 'POST', body: JSON.stringify(body), headers })
    return { status: response.status, body: (await response.json()) as { data: { access_token: string; refresh_token: string } } }
  }
  secrets.add('in-the-query')
  const signedIn = await post('/login', { email, password })
  const renewed = await post('/login/refresh', signedIn.body.data)
  for (const { body } of [signedIn, renewed])
    for (const token of [body.data.access_token, body.data.refresh_token]) secrets.add(token).add(String(token.split('.').at(-1)))
  const bearer = { authorization: `Bearer ${renewed.body.data.access_token}` }

  const wrong = renewed.body.data.refresh_token.replace(/.$/, last => (last === '_' ? '-' : '_'))
  const drive = async () => [
    (await post('/login/refresh', { refresh_token: wrong })).status,
    (await post('/login', { email, password: 'a-wrong-password' })).status,
    (await post('/login', { email, password: ['a-wrong-password'] })).status,
    (await post('/history', { content_id: 1, time: 'a-wrong-password' }, bearer)).status,
    (await post('/history', { content_id: 1 }, bearer)).status,
    (await post('/history', {}, { authorization: `Bearer ${signedIn.body.data.access_token}x` })).status,
    (await post('/history', {}, { authorization: 'Basic Basic-of-somebody' })).status
  ]
  t.strictSame(await drive(), [401, 401, 400, 400, 400, 401, 401])
  proxy.leave()
  t.strictSame(await drive(), [503, 503, 400, 400, 400, 401, 401], 'while the database is away')
  t.equal((await post('/logout', {}, bearer)).status, 503)
  await stop()

  const text = said()
  t.ok(text.split('\n').length > 20)
  t.match(text, /"status":503/)
  for (const hidden of secrets) {
    for (const form of [hidden, encodeURIComponent(hidden), Buffer.from(hidden).toString('base64')])
      t.notOk(text.includes(form), `${hidden.slice(0, 12)}...`)
  }
})
