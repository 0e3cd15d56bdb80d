import { once } from 'node:events'
import t from 'tap'
import { importFiles } from '../../src/import/index.js'
import { assertFailure, unauthenticated } from '../helpers/answers.js'
import { addUser, build, password, providerUser, signIn } from '../helpers/app.js'
import { databaseOf, databaseUrl, seededUrl } from '../helpers/database.js'
import { profileOf } from '../helpers/devices.js'
import { episode, film } from '../helpers/documents.js'
import { proxyTo } from '../helpers/proxy.js'
import { connected } from '../helpers/sockets.js'
import { until } from '../helpers/until.js'
import { type Viewer, viewerOf, watch } from '../helpers/viewer.js'
import { wantToken } from './helper.js'

const contents = [film(1), film(2), film(3, { type: 'show' }), episode(4, 3)]
const lists = ['history', 'watchlist', 'hidden', 'ratings', 'preferences'] as const

const exported = async (viewer: Viewer) => {
  const answer = await viewer.get('/me/export')
  t.equal(answer.statusCode, 200)
  return answer.json().data
}

/** A viewer with elements in every list. */
const active = async (app: Parameters<typeof viewerOf>[0]) => {
  const viewer = await viewerOf(app)
  await watch(viewer, 1, { time: 60, percentage: 50 })
  await watch(viewer, 4, { time: 600, percentage: 100 })
  for (const content_id of [2, 3]) await viewer.post('/watchlist', { content_id })
  await viewer.put('/hidden/2')
  await viewer.put('/ratings/4', { rating: 'like' })
  await viewer.put('/preferences', { audio: 'de', subtitles: 'off' })
  await viewer.put('/preferences/4', { audio: 'pt-BR' })
  return viewer
}

t.test('GET /me/export', async t => {
  const app = await build(t, { url: await seededUrl(t, { contents }) })

  t.test('is a file with everything of the user, and nothing of anybody else', async t => {
    const [viewer, other] = [await active(app), await active(app)]
    const answer = await viewer.get('/me/export')
    t.match(answer.headers, {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="viewer-${viewer.id}.json"`,
      'cache-control': 'private, no-store'
    })
    const { success, data } = answer.json()
    t.equal(success, true)
    t.strictSame(Object.keys(data), ['users', ...lists, 'seen', 'sessions', 'exported_at'])
    const user = await app.data.users.byId(viewer.id)
    t.match(data.users, [{ id: viewer.id, email: user?.email, name: 'A Viewer' }])
    const idsOf = (name: (typeof lists)[number]) => data[name].map(({ content_id }: { content_id: number }) => content_id)
    t.strictSame(lists.map(idsOf), [[1, 4], [2, 3], [2], [3], [null, 3]])
    t.match(data.history, [{ plays: 0 }, { percentage: 100, plays: 1 }])
    for (const name of lists) for (const element of data[name]) t.equal(element.user_id, viewer.id)
    const { sub, sid } = JSON.parse(Buffer.from(viewer.headers.authorization.split('.')[1] ?? '', 'base64url').toString())
    t.strictSame([sub, data.sessions.map(({ id }: { id: string }) => id)], [String(viewer.id), [sid]])
    t.notMatch(answer.body, /password|argon|secret|family|spent|email_key/)
    t.notMatch(answer.body, new RegExp(`"user_id":${other.id}\\b`))
  })

  t.test('says when a session was last used', async t => {
    const viewer = await viewerOf(app)
    const { sid, refresh_token } = await app.data.sessions.begin({ _id: viewer.id })
    const session = async () => (await exported(viewer)).sessions.find(({ id }: { id: string }) => id === sid)
    const before = await session()
    await app.inject({ method: 'POST', url: '/login/refresh', payload: { refresh_token } })
    const after = await session()
    t.equal(before.last_used_at, before.created_at)
    t.ok(after.last_used_at > after.created_at)
  })

  t.test('can be imported into another database', async t => {
    const viewer = await active(app)
    const data = await exported(viewer)
    const files = Object.fromEntries(['users', ...lists].map(name => [`${name}.json`, JSON.stringify(data[name])]))
    const elsewhere = await build(t, { url: await seededUrl(t, { contents }) })
    await importFiles(databaseOf(elsewhere), files)
    const again = await viewerOf(elsewhere)
    const same: Viewer = { ...again, get: url => elsewhere.inject({ url, headers: moved }) }
    const moved = await signIn(elsewhere, { _id: viewer.id })
    const imported = await exported(same)
    for (const name of lists) t.strictSame(imported[name], data[name], name)
    t.match(imported.users, [{ id: viewer.id, email: data.users[0].email, created_at: data.users[0].created_at }])
    const logIn = await elsewhere.inject({ method: 'POST', url: '/login', payload: { email: data.users[0].email, password } })
    t.equal(logIn.body, unauthenticated, 'nobody can sign in without a password')
  })

  t.test('can be imported with all profiles', async t => {
    const viewer = await active(app)
    const idOf = async (profile: object) =>
      Number(
        String((await viewer.post('/profiles', profile)).headers.location)
          .split('/')
          .pop()
      )
    const [child, second] = [await idOf({ name: 'Child', max_age: 6 }), await idOf({ name: 'Second', pin: '4071' })]
    await app.data.reports.put(child, { content_id: 1, progress: { percentage: 20 } })
    await app.data.watchlist.add(second, 4)
    await app.data.hidden.put(child, 2)
    await app.data.ratings.put(child, 1, 'dislike')
    await app.data.preferences.put(child, -1, { subtitles: 'en' })
    const data = await exported(viewer)
    t.match(data.users, [{ id: viewer.id }, { id: child, account_id: viewer.id, max_age: 6 }, { id: second, account_id: viewer.id }])
    const elsewhere = await build(t, { url: await seededUrl(t, { contents }) })
    const files = Object.fromEntries(['users', ...lists].map(name => [`${name}.json`, JSON.stringify(data[name])]))
    const { kinds } = await importFiles(databaseOf(elsewhere), files)
    t.equal(kinds.users?.added, 3)
    const headers = await signIn(elsewhere, { _id: viewer.id })
    const imported = (await elsewhere.inject({ url: '/me/export', headers })).json().data
    for (const name of lists) t.strictSame(imported[name], data[name], name)
    t.match(
      imported.users,
      data.users.map(({ updated_at: _, ...user }: { updated_at: string }) => user)
    )
    const none = { added: 0, changed: 0 }
    t.match((await importFiles(databaseOf(elsewhere), files)).kinds, {
      users: none,
      history: none,
      watchlist: none,
      hidden: none,
      ratings: none,
      preferences: none
    })
    t.match((await elsewhere.inject({ url: '/profiles', headers })).json().data, [{}, { name: 'Child', max_age: 6 }, { has_pin: false }])
  })

  t.test('has all that an erasure removes, so disabled profiles as well', async t => {
    const viewer = await active(app)
    const account = await app.data.users.byId(viewer.id)
    if (!account) throw new Error('No such user')
    const [first, second] = [await profileOf(app, account), await profileOf(app, account, 6)]
    for (const { _id } of [second, first]) {
      await app.data.reports.put(_id, { content_id: 1, progress: { percentage: 20 } })
      await app.data.watchlist.add(_id, 4)
      await app.data.hidden.put(_id, 2)
      await app.data.ratings.put(_id, 2, 'like')
      await app.data.preferences.put(_id, 2, { audio: 'de' })
    }
    const before = await exported(viewer)
    await app.data.users.disable(first._id)
    const after = await exported(viewer)
    t.strictSame(
      after.users.map(({ id }: { id: number }) => id),
      [viewer.id, first._id, second._id]
    )
    for (const name of lists) {
      t.strictSame(after[name], before[name], name)
      t.ok(after[name].some(({ user_id }: { user_id: number }) => user_id === first._id))
    }
  })

  t.test('has no e-mail of a user of an identity provider, but the subject', async t => {
    const _id = await providerUser(app, 'https://id.example.com', 'auth0|ada')
    const headers = await signIn(app, { _id })
    const { users } = (await app.inject({ url: '/me/export', headers })).json().data
    t.strictSame(Object.keys(users[0]), ['id', 'name', 'sub', 'created_at', 'updated_at'])
    t.equal(users[0].sub, 'auth0|ada')
  })

  t.test('is for signed-in users who exist', async t => {
    const viewer = await viewerOf(app)
    await wantToken(t, app, viewer.headers.authorization, [['GET', '/me/export']])
    await app.data.users.remove(viewer.id)
    t.equal((await viewer.get('/me/export')).body, unauthenticated)
  })
})

t.test('a long export', async t => {
  const proxy = await proxyTo(t, await databaseUrl(t))
  const app = await build(t, { url: proxy.url, settings: { DATABASE_TIMEOUT: '500', RATE_LIMIT: '0' } })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const user = await addUser(app)
  const viewer = await viewerOf(app)
  const { authorization } = await signIn(app, user)
  const at = new Date()
  for (let from = 0; from < 60_000; from += 20_000) {
    const elements = Array.from({ length: 20_000 }, (_, i) => ({
      user_id: user._id,
      content_id: from + i + 1,
      created_at: at,
      updated_at: at
    }))
    await databaseOf(app).collection('history').insertMany(elements, { timeoutMS: 60_000 })
  }
  const begin = async () => {
    const socket = await connected(app)
    socket.write(`GET /me/export HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`)
    const [first] = await once(socket, 'data')
    return { socket, status: Number(String(first).split(' ')[1]) }
  }
  const isOver = async () => {
    const { socket, status } = await begin()
    socket.destroy()
    return status === 200
  }

  t.test('is not begun by a HEAD, which has its head alone', async t => {
    const ask = (method: 'GET' | 'HEAD') => app.inject({ method, url: '/me/export', headers: { authorization } })
    const head = await ask('HEAD')
    const { socket, status } = await begin()
    t.equal(status, 200, 'the next GET is not refused')
    t.equal((await ask('HEAD')).statusCode, 429, 'a HEAD says what a GET would get')
    socket.destroy()
    await until(async () => (await ask('HEAD')).statusCode === 200)
    const whole = await ask('GET')
    const lasting = ({ headers: { date, 'x-request-id': id, 'transfer-encoding': encoding, ...rest } }: typeof head) => rest
    t.strictSame([head.statusCode, head.body], [200, ''])
    t.strictSame(lasting(head), lasting(whole))
  })

  t.test('that nobody reads delays no other caller, and ends with its caller', async t => {
    const { socket, status } = await begin()
    t.equal(status, 200)
    socket.pause()
    const again = await app.inject({ url: '/me/export', headers: { authorization } })
    assertFailure(t, again, 429, 'one export at a time')
    t.match(again.headers['retry-after'], /^\d+$/)
    for (const path of ['/history', '/me/export']) t.equal((await viewer.get(path)).statusCode, 200)
    socket.resetAndDestroy()
    t.ok((await until(isOver)) < 2000)
  })

  t.test('ends in the middle, and not as if it were whole, where the database is away', async t => {
    await until(isOver)
    const { socket } = await begin()
    let last = ''
    socket.on('data', bytes => {
      last = bytes.toString().slice(-9)
    })
    proxy.leave()
    await once(socket, 'close')
    t.notMatch(last, /0\r\n\r\n$/)
    assertFailure(t, await app.inject({ url: '/me/export', headers: { authorization } }), 503, 'and no other export begins')
    proxy.comeBack()
    t.ok((await until(isOver)) < 5000)
  })
})
