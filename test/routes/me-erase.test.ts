import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { emailKey } from '../../src/data/users.js'
import { notFound, unauthenticated } from '../helpers/answers.js'
import { type App, addUser, build, password, providerUser, signIn } from '../helpers/app.js'
import { databaseOf, seededUrl } from '../helpers/database.js'
import { film } from '../helpers/documents.js'
import { proxyTo } from '../helpers/proxy.js'
import { until } from '../helpers/until.js'
import { viewerOf, watch } from '../helpers/viewer.js'
import { assertDone, wantToken } from './helper.js'

const contents = [film(1), film(2)]

/** Every document that has something to do with a user, by collection. */
const tracesOf = async (app: App, id: number, email = '') => {
  const db = databaseOf(app)
  const traces: Record<string, number> = {}
  for (const { name } of await db.listCollections().toArray()) {
    const text = [String(id), email, emailKey(email)].filter(Boolean)
    const holds = (value: unknown): boolean =>
      typeof value === 'object' && value !== null ? Object.values(value).some(holds) : text.includes(String(value))
    const found = (await db.collection(name).find().toArray()).filter(
      document => document.user_id === id || (name === 'users' && holds(document))
    )
    if (found.length > 0) traces[name] = found.length
  }
  return traces
}

t.test('DELETE /me', async t => {
  const app = await build(t, { url: await seededUrl(t, { contents }), settings: { LOGIN_LIMIT: '3' } })
  const db = databaseOf(app)
  const logIn = async (email: string) =>
    (await app.inject({ method: 'POST', url: '/login', payload: { email, password }, remoteAddress: '192.0.2.9' })).statusCode

  t.test('removes the user and everything of theirs, and nothing of anybody else', async t => {
    const [gone, stays] = [await viewerOf(app), await viewerOf(app)]
    const email = String((await app.data.users.byId(gone.id))?.email)
    const personal = []
    for (const { name } of await db.listCollections().toArray())
      if ((await db.collection(name).indexes()).some(({ key }) => 'user_id' in key)) personal.push(name)
    for (const name of personal)
      for (const { id } of [gone, stays]) await db.collection(name).insertOne({ user_id: id, content_id: 3, user_code: String(id) })
    await watch(gone, 1, { percentage: 50 })
    await app.data.loginAttempts.begin(email, '192.0.2.1')
    const before = await tracesOf(app, gone.id, email)
    t.strictSame(Object.keys(before).sort(), ['users', ...personal].sort())
    const others = await tracesOf(app, stays.id)
    const attemptIds = async () => (await db.collection('login_attempts').find().toArray()).map(({ _id }) => String(_id))
    const attempts = await attemptIds()

    assertDone(t, await gone.remove('/me', { password }), 200)
    t.strictSame(await tracesOf(app, gone.id, email), {})
    t.strictSame(await tracesOf(app, stays.id), others)
    const kept = await attemptIds()
    t.equal(attempts.filter(id => !kept.includes(id)).length, 1, 'the failed logins of the e-mail are forgotten')
    const [note, ...more] = await db.collection('erasures').find().toArray()
    t.strictSame(
      [more, Object.keys(note ?? {}).sort()],
      [[], ['_id', 'at', 'sweep_at', 'sweeps', 'tokens_until']],
      'only the id is noted, and when to sweep'
    )

    for (const path of ['/history', '/recommendations', '/me/export'])
      t.equal((await gone.get(path)).body, unauthenticated, `${path} refuses its token`)
    t.equal((await gone.post('/history', { content_id: 1, time: 1 })).statusCode, 401)
    t.equal((await gone.remove('/me', { password })).statusCode, 401)
    t.equal((await stays.get('/history')).statusCode, 200)
    t.equal(await logIn(email), 401)
    const again = await addUser(app, email)
    t.ok(again._id > stays.id, 'the e-mail is free again, but no id is used twice')
    t.equal(await logIn(email), 200)
  })

  t.test('wants the password, within the limits of the login', async t => {
    const viewer = await viewerOf(app)
    const { remove } = viewer
    await wantToken(t, app, viewer.headers.authorization, [['DELETE', '/me', '{']])
    const bad: [object | string | undefined, number][] = [
      [undefined, 400],
      ['', 400],
      ['{', 400],
      [{}, 400],
      [{ password: '' }, 400],
      [{ password: 5 }, 400],
      [{ password: [password] }, 400],
      [{ password: null }, 400],
      [{ password: 'x'.repeat(70_000) }, 413],
      [{ password: 'wrong' }, 401],
      [{ password: `${password} ` }, 401],
      [{ password: password.toUpperCase() }, 401],
      [{ password }, 429]
    ]
    for (const [body, status] of bad) t.equal((await remove('/me', body)).statusCode, status, JSON.stringify(body)?.slice(0, 40))
    t.equal((await viewer.get('/history')).statusCode, 200)
    t.match(await tracesOf(app, viewer.id), { users: 1, sessions: 1 })
  })

  t.test('a user without a password cannot do it', async t => {
    const id = await providerUser(app, 'https://id.example.com', 'ada')
    const viewer = { headers: await signIn(app, { _id: id }) }
    const answer = await app.inject({ method: 'DELETE', url: '/me', ...viewer, payload: { password } })
    t.equal(answer.body, unauthenticated)
  })

  t.test('two at once are one', async t => {
    const viewer = await viewerOf(app)
    const answers = await Promise.all([viewer.remove('/me', { password }), viewer.remove('/me', { password })])
    t.ok(answers.every(({ statusCode }) => [200, 401].includes(statusCode)))
    t.ok(answers.some(({ statusCode }) => statusCode === 200))
    t.strictSame(await tracesOf(app, viewer.id), {})
  })

  t.test('a long history goes too', async t => {
    const viewer = await viewerOf(app)
    const at = new Date()
    const elements = Array.from({ length: 12_000 }, (_, i) => ({ user_id: viewer.id, content_id: i, created_at: at, updated_at: at }))
    await db.collection('history').insertMany(elements)
    assertDone(t, await viewer.remove('/me', { password }), 200)
    await until(async () => Object.keys(await tracesOf(app, viewer.id)).length === 0)
  })
})

t.test('DELETE /me is done once it is noted, whatever becomes of the database', async t => {
  const log: string[] = []
  const proxy = await proxyTo(t, await seededUrl(t, { contents }))
  const app = await build(t, { url: proxy.url, log })
  const viewer = await viewerOf(app)
  const cut = proxy.at('deletes', proxy.leave)
  assertDone(t, await viewer.remove('/me', { password }), 200)
  await cut
  t.ok(log.some(line => line.includes('continuing in the background')))
  proxy.comeBack()
  await until(async () => Object.keys(await tracesOf(app, viewer.id)).length === 0)
  t.equal((await viewer.get('/history')).statusCode, 401)
})

t.test('where an identity provider has the passwords, there is no DELETE /me', async t => {
  const { publicKey } = generateKeyPairSync('ed25519')
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const app = await build(t, { settings: { JWT_SECRET: '', JWT_PUBLIC_KEY: pem } })
  const { statusCode, body } = await app.inject({ method: 'DELETE', url: '/me', payload: { password } })
  t.strictSame([statusCode, JSON.parse(body)], [404, notFound])
  t.strictSame(Object.keys(app.swagger().paths?.['/me'] ?? {}), ['get'])
  t.ok(app.swagger().paths?.['/me/export'])
})
