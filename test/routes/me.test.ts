import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { hash } from '@node-rs/argon2'
import t from 'tap'
import { emailKey } from '../../src/identity/users.js'
import { importFiles } from '../../src/import/index.js'
import { assertFailure, notFound, unauthenticated } from '../helpers/answers.js'
import { type App, addUser, beginSession, build, password, providerUser, signIn } from '../helpers/app.js'
import { appUrl, databaseOf, seededUrl } from '../helpers/database.js'
import { profileOf } from '../helpers/devices.js'
import { episode, film } from '../helpers/documents.js'
import { proxyTo } from '../helpers/proxy.js'
import { connected } from '../helpers/sockets.js'
import { until } from '../helpers/until.js'
import { type Viewer, viewerOf, watch } from '../helpers/viewer.js'
import { assertDone, wantToken } from './helper.js'

const newPassword = 'staple battery horse correct'

t.test('GET /me', async t => {
  const app = await build(t)
  const user = await addUser(app, 'Ada@Example.com', 'Ada')
  const headers = await signIn(app, user)
  const get = async (given = headers) => app.inject({ url: '/me', headers: given })

  const answer = await get()
  t.equal(answer.statusCode, 200)
  t.strictSame(answer.json(), { success: true, data: { id: user._id, email: 'Ada@Example.com', name: 'Ada' } })
  t.equal(answer.headers['cache-control'], 'private, no-store')
  t.equal((await app.inject('/me')).body, unauthenticated)

  await databaseOf(app).collection<{ _id: number }>('users').deleteOne({ _id: user._id })
  const gone = await get()
  t.strictSame([gone.statusCode, gone.body], [401, unauthenticated], 'a user who does not exist any more')
})

t.test('PUT /me/password', async t => {
  const app = await build(t)
  const logIn = async (email: string, password: string) =>
    (await app.inject({ method: 'POST', url: '/login', payload: { email, password } })).statusCode

  t.test('changes the password and ends the other sessions', async t => {
    const user = await addUser(app)
    const [here, elsewhere, stranger] = [await signIn(app, user), await signIn(app, user), await viewerOf(app)]
    const change = () => app.inject({ method: 'PUT', url: '/me/password', headers: here, payload: { password, new_password: newPassword } })
    const answer = await change()
    t.equal(answer.statusCode, 200)
    t.match(answer.json(), { success: true, code: 200, 'message ': /\w/, message: /\w/ })
    const status = async (headers: Record<string, string>) => (await app.inject({ url: '/history', headers })).statusCode
    t.strictSame([await status(here), await status(elsewhere), await status(stranger.headers)], [200, 401, 200])
    t.strictSame([await logIn(user.email, password), await logIn(user.email, newPassword)], [401, 200])
    t.equal((await app.data.users.byId(user._id))?.session_epoch, 1, 'what was begun before is refused once')
    t.equal((await change()).statusCode, 401, 'the old password is wrong now')
  })

  t.test('refuses bad input', async t => {
    const viewer = await viewerOf(app)
    const bad: [string, unknown][] = [
      ...['1234567', 'x'.repeat(1001), '', 5, null, ['long enough'], undefined].map((new_password): [string, unknown] => [
        'new_password',
        { password, new_password }
      ]),
      ...['', 5, null, {}, undefined].map((password): [string, unknown] => ['password', { password, new_password: newPassword }])
    ]
    for (const [field, body] of bad) {
      const answer = await viewer.put('/me/password', body as object)
      t.equal(answer.statusCode, 400, JSON.stringify(body).slice(0, 80))
      t.match(answer.json(), { code: 400, errors: [{ field, message: /\w/ }] })
    }
    const answer = await app.inject({ method: 'PUT', url: '/me/password', payload: { password, new_password: newPassword } })
    t.strictSame([answer.statusCode, answer.body], [401, unauthenticated], 'without a token')
    for (const [old, next] of [
      [password, '📺'.repeat(8)],
      ['📺'.repeat(8), 'x'.repeat(1000)]
    ])
      t.equal((await viewer.put('/me/password', { password: old, new_password: next })).statusCode, 200, 'the shortest and the longest')
  })

  t.test('counts a wrong password as a failed login', async t => {
    const user = await addUser(app)
    const headers = await signIn(app, user)
    const put = (password: string) =>
      app.inject({ method: 'PUT', url: '/me/password', headers, payload: { password, new_password: newPassword } })
    for (let i = 0; i < 10; i++) {
      const answer = await put('wrong')
      t.strictSame([answer.statusCode, answer.body], [401, unauthenticated])
    }
    const answer = await put(password)
    t.equal(answer.statusCode, 429)
    t.match(answer.headers['retry-after'], /^\d+$/)
    t.equal(await logIn(user.email, password), 429)
    t.equal((await app.inject({ url: '/history', headers })).statusCode, 200, 'the session continues')
  })

  t.test('lets one of two changes at once win', async t => {
    const user = await addUser(app)
    const headers = await signIn(app, user)
    const passwords = ['a first new one', 'a second new one']
    const answers = await Promise.all(
      passwords.map(new_password => app.inject({ method: 'PUT', url: '/me/password', headers, payload: { password, new_password } }))
    )
    t.strictSame(answers.map(({ statusCode }) => statusCode).sort(), [200, 401])
    const logins = [await logIn(user.email, passwords[0] as string), await logIn(user.email, passwords[1] as string)]
    t.strictSame(
      logins,
      answers.map(({ statusCode }) => statusCode)
    )
  })
})

t.test('a login that is under way', async t => {
  const app = await build(t, { settings: { LOGIN_LIMIT: '1' } })
  const slowHash = hash(password, { memoryCost: 256 * 1024, timeCost: 4, parallelism: 1 })
  const attempts = databaseOf(app).collection('login_attempts')
  /** Does something while the password is checked. */
  const logInWhile = async (act: (email: string) => Promise<unknown>) => {
    const user = await addUser(app, undefined, 'Slow', slowHash)
    await attempts.deleteMany({})
    const login = app.inject({ method: 'POST', url: '/login', payload: { email: user.email, password } })
    await until(async () => (await attempts.countDocuments()) === 3)
    await act(user.email)
    const { statusCode } = await login
    return { statusCode, sessions: (await app.data.sessions.list(user._id)).length }
  }
  t.strictSame(await logInWhile(async () => undefined), { statusCode: 200, sessions: 1 })
  t.strictSame(
    await logInWhile(async email => app.data.users.setPassword(email, 'x')),
    { statusCode: 401, sessions: 0 },
    'the password is changed'
  )
  t.strictSame(await logInWhile(async email => app.data.users.disable(email)), { statusCode: 401, sessions: 0 }, 'the user is disabled')
})

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
    const { sid, refresh_token } = await beginSession(app.data, { _id: viewer.id })
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
  const proxy = await proxyTo(t, await appUrl(t))
  const app = await build(t, { url: proxy.url, settings: { DATABASE_TIMEOUT: '500', RATE_LIMIT: '0' } })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const user = await addUser(app)
  const viewer = await viewerOf(app)
  const { authorization } = await signIn(app, user)
  const at = new Date()
  for (let from = 0; from < 60_000; from += 5000) {
    const elements = Array.from({ length: 5000 }, (_, i) => ({
      user_id: user._id,
      content_id: from + i + 1,
      time: 1,
      percentage: 1,
      created_at: at,
      updated_at: at
    }))
    await databaseOf(app).collection('history').insertMany(elements)
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

  t.test('ends with its caller, also while it waits for its turn', async t => {
    await until(isOver)
    const socket = await connected(app)
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`
    socket.write(get('/changes/stream') + get('/me/export'))
    await until(async () => (await app.inject({ method: 'HEAD', url: '/me/export', headers: { authorization } })).statusCode === 429)
    socket.destroy()
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

/** Every document that has something to do with a user, by collection. */
const tracesOf = async (app: App, id: number, email = '') => {
  const db = databaseOf(app)
  const traces: Record<string, number> = {}
  for (const { name } of await db.listCollections().toArray()) {
    const text = [String(id), email, emailKey(email)].filter(Boolean)
    const holds = (value: unknown): boolean =>
      typeof value === 'object' && value !== null ? Object.values(value).some(holds) : text.includes(String(value))
    const found = (await db.collection(name).find().toArray()).filter(document =>
      name === 'users' ? holds(document) : [document.user_id, document.account_id].includes(id)
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
    for (const { name } of await db.listCollections().toArray()) {
      const indexes = await db.collection(name).indexes()
      const owner = ['user_id', 'account_id'].find(field => name !== 'users' && indexes.some(({ key }) => field in key))
      if (!owner) continue
      personal.push(name)
      for (const { id } of [gone, stays])
        await db.collection(name).insertOne({ [owner]: id, content_id: 3, user_code: String(id) }, { bypassDocumentValidation: true })
    }
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
      [[], ['_id', 'at', 'event', 'sweep_at', 'sweeps', 'tokens_until']],
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
    const elements = Array.from({ length: 12_000 }, (_, i) => ({
      user_id: viewer.id,
      content_id: i + 1,
      time: 1,
      percentage: 1,
      created_at: at,
      updated_at: at
    }))
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
