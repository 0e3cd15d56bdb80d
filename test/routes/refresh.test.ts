import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { sessionsOf } from '../../src/identity/sessions.js'
import { unauthenticated } from '../helpers/answers.js'
import { type App, addUser, beginSession, build, password } from '../helpers/app.js'
import { appUrl } from '../helpers/database.js'

const refresh = (app: App, refresh_token: unknown) => app.inject({ method: 'POST', url: '/login/refresh', payload: { refresh_token } })

interface Pair {
  access_token: string
  refresh_token: string
}

const logIn = async (app: App, email: string): Promise<Pair> =>
  (await app.inject({ method: 'POST', url: '/login', payload: { email, password } })).json().data

const renewed = async (t: Test, app: App, token: string): Promise<Pair> => {
  const response = await refresh(app, token)
  t.equal(response.statusCode, 200)
  return response.json().data
}

const assertRefused = async (t: Test, app: App, token: unknown, what = 'is refused') => {
  const { statusCode, body } = await refresh(app, token)
  t.strictSame({ statusCode, body }, { statusCode: 401, body: unauthenticated }, what)
}

const claimsOf = ({ access_token }: Pair) => JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString())

const databaseOf = async (t: Test, url: string) => {
  const client = await MongoClient.connect(url)
  t.teardown(() => client.close())
  return client.db()
}

t.test('POST /login/refresh', async t => {
  const url = await appUrl(t)
  const app = await build(t, { url })
  const user = await addUser(app, 'Ada@Example.com', 'Ada')

  t.test('answers as a login does, with a new pair', async t => {
    const first = await logIn(app, user.email)
    const response = await refresh(app, first.refresh_token)
    t.equal(response.statusCode, 200)
    const { data, ...rest } = response.json()
    const { access_token, refresh_token, ...others } = data
    t.strictSame(rest, { success: true })
    t.strictSame(others, { token_type: 'Bearer', expires_in: 3600, user: { id: user._id, email: 'Ada@Example.com', name: 'Ada' } })
    t.match(access_token, /^[\w-]+\.[\w-]+\.[\w-]+$/)
    t.not(refresh_token, first.refresh_token)
    t.not(access_token, first.access_token, 'even within the same second')
    t.equal(claimsOf(data).sub, String(user._id))
    t.equal(claimsOf(data).sid, claimsOf(first).sid, 'it is the same session')

    const headers = { authorization: `Bearer ${access_token}` }
    t.equal((await app.inject({ method: 'POST', url: '/logout', headers })).statusCode, 200, 'the new access token works')
  })

  t.test('goes on from pair to pair', async t => {
    let { refresh_token } = await logIn(app, user.email)
    const seen = new Set([refresh_token])
    for (let i = 0; i < 40; i++) {
      refresh_token = (await renewed(t, app, refresh_token)).refresh_token
      seen.add(refresh_token)
    }
    t.equal(seen.size, 41)
  })

  t.test('needs no access token, and looks at none', async t => {
    const { refresh_token } = await logIn(app, user.email)
    const headers = { authorization: 'Bearer nonsense' }
    const response = await app.inject({ method: 'POST', url: '/login/refresh', headers, payload: { refresh_token } })
    t.equal(response.statusCode, 200)
  })

  t.test('refuses one spent just now and revokes nothing', async t => {
    const first = await logIn(app, user.email)
    const second = await renewed(t, app, first.refresh_token)
    await assertRefused(t, app, first.refresh_token)
    const third = await renewed(t, app, second.refresh_token)
    await assertRefused(t, app, first.refresh_token)
    await assertRefused(t, app, second.refresh_token)
    await renewed(t, app, third.refresh_token)
  })

  t.test('lets one of many uses at the same moment win', async t => {
    for (let round = 0; round < 3; round++) {
      const { refresh_token } = await logIn(app, user.email)
      const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(app, refresh_token)))
      const won = answers.filter(({ statusCode }) => statusCode === 200)
      t.equal(won.length, 1)
      t.strictSame(
        answers.filter(answer => !won.includes(answer)).map(({ statusCode, body }) => ({ statusCode, body })),
        Array(19).fill({ statusCode: 401, body: unauthenticated })
      )
      await renewed(t, app, won[0]?.json().data.refresh_token)
    }
  })

  t.test('lets one win where two processes are asked', async t => {
    const other = await build(t, { url })
    const { refresh_token } = await logIn(app, user.email)
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => refresh(i % 2 ? app : other, refresh_token)))
    t.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 1)
  })

  t.test('keeps the sessions of a user apart', async t => {
    const strict = await build(t, { url, settings: { REFRESH_GRACE: '0' } })
    const [one, two] = [await logIn(app, user.email), await logIn(app, user.email)]
    await renewed(t, strict, one.refresh_token)
    await sleep(2)
    await assertRefused(t, strict, one.refresh_token)
    await renewed(t, app, two.refresh_token)
  })

  t.test('refuses garbage', async t => {
    const { access_token, refresh_token } = await logIn(app, user.email)
    const parts = refresh_token.split('.')
    const garbage: Record<string, string> = {
      'a word': 'nonsense',
      'a space': ' ',
      'a zero byte': '\u0000',
      'half a character': '\ud800',
      dots: '....',
      'an operator': '{"$gt":""}',
      'an access token': access_token,
      'a long text': 'x'.repeat(60_000),
      'many dots': '.'.repeat(60_000),
      'one that is cut': refresh_token.slice(0, -1),
      'one with more': `${refresh_token}A`,
      'one with a line break': `${refresh_token}\n`,
      'one with a space': ` ${refresh_token}`,
      'another case': refresh_token.toUpperCase() === refresh_token ? refresh_token.toLowerCase() : refresh_token.toUpperCase(),
      reversed: [...refresh_token].reverse().join('')
    }
    for (const [i, part] of parts.entries()) {
      const changed = part.replace(/[A-Za-z0-9]/, letter => (letter === '1' ? '2' : '1'))
      garbage[`one with part ${i} changed`] = parts.with(i, changed).join('.')
      garbage[`one without part ${i}`] = parts.toSpliced(i, 1).join('.')
      garbage[`one with part ${i} empty`] = parts.with(i, '').join('.')
      garbage[`one with part ${i} huge`] = parts.with(i, '9'.repeat(400)).join('.')
    }
    for (const [what, token] of Object.entries(garbage)) await assertRefused(t, app, token, `${what} is refused`)
    await renewed(t, app, refresh_token)
  })

  t.test('refuses what is no token with a 400', async t => {
    const headers = { 'content-type': 'application/json' }
    const tokens = ['5', 'null', 'true', '["x"]', '{"$gt":""}'].map(value => `{"refresh_token":${value}}`)
    for (const payload of [...tokens, '{}', '{"token":"x"}']) {
      const response = await app.inject({ method: 'POST', url: '/login/refresh', headers, payload })
      t.equal(response.statusCode, 400, payload)
      const { message, errors, ...rest } = response.json()
      t.strictSame(rest, { success: false, code: 400 })
      t.match(message, /refresh_token .*\w+/)
      t.match(errors, [{ field: 'refresh_token', message: /\w+ \w+/ }])
      t.equal(errors.length, 1)
    }
    for (const payload of ['', '[]', 'null', '"text"', '5', undefined]) {
      const response = await app.inject({ method: 'POST', url: '/login/refresh', headers, ...(payload === undefined ? {} : { payload }) })
      t.match(response.json(), { success: false, code: 400, message: /\w+ \w+/, errors: [{ field: /./, message: /./ }] }, `${payload}`)
      t.equal(response.statusCode, 400)
    }
  })

  t.test('refuses the token of another deployment', async t => {
    const elsewhere = await build(t)
    await addUser(elsewhere, 'Ada@Example.com', 'Ada')
    const { refresh_token } = await logIn(elsewhere, user.email)
    await assertRefused(t, app, refresh_token)
  })

  t.test('refuses one after logout', async t => {
    const first = await logIn(app, user.email)
    const second = await renewed(t, app, first.refresh_token)
    // The access token of the first pair is of the same session.
    const headers = { authorization: `Bearer ${first.access_token}` }
    t.equal((await app.inject({ method: 'POST', url: '/logout', headers })).statusCode, 200)
    await assertRefused(t, app, second.refresh_token)
    await assertRefused(t, app, first.refresh_token)
  })
})

t.test('a refresh token that comes again after the grace', async t => {
  t.test('revokes its family', async t => {
    const app = await build(t, { settings: { REFRESH_GRACE: '0' } })
    const { email } = await addUser(app)
    const first = await logIn(app, email)
    const second = await renewed(t, app, first.refresh_token)
    const third = await renewed(t, app, second.refresh_token)
    await sleep(2)
    await assertRefused(t, app, first.refresh_token)
    await assertRefused(t, app, third.refresh_token, 'the newest is revoked too')
    await assertRefused(t, app, second.refresh_token)
    await renewed(t, app, (await logIn(app, email)).refresh_token)
  })

  t.test('revokes it 10 seconds after it was spent, and not before', async t => {
    const url = await appUrl(t)
    const app = await build(t, { url })
    const sessions = (await databaseOf(t, url)).collection('sessions')
    const { email } = await addUser(app)
    for (const { seconds, lives } of [
      { seconds: 8, lives: true },
      { seconds: 11, lives: false }
    ]) {
      const first = await logIn(app, email)
      const second = await renewed(t, app, first.refresh_token)
      const { sid } = claimsOf(first)
      const back = await sessions.updateOne({ _id: sid }, { $set: { 'spent.0.at': new Date(Date.now() - seconds * 1000) } })
      t.equal(back.matchedCount, 1)
      await assertRefused(t, app, first.refresh_token)
      if (lives) await renewed(t, app, second.refresh_token)
      else await assertRefused(t, app, second.refresh_token)
    }
  })

  t.test('revokes it however many came since', async t => {
    const app = await build(t, { settings: { REFRESH_GRACE: '0' } })
    const { email } = await addUser(app)
    const first = await logIn(app, email)
    let last = first
    for (let i = 0; i < 45; i++) last = await renewed(t, app, last.refresh_token)
    await assertRefused(t, app, first.refresh_token)
    await assertRefused(t, app, last.refresh_token)
  })

  t.test('is not to be forged', async t => {
    const app = await build(t, { settings: { REFRESH_GRACE: '0' } })
    const { email } = await addUser(app)
    const first = await logIn(app, email)
    const second = await renewed(t, app, first.refresh_token)
    await sleep(2)
    // What changes the secret parts of a spent token must not revoke the session of somebody else.
    const longest = first.refresh_token.split('.').reduce((a, b) => (b.length > a.length ? b : a))
    await assertRefused(t, app, first.refresh_token.replaceAll(longest, 'A'.repeat(longest.length)))
    const parts = first.refresh_token.split('.')
    await assertRefused(t, app, [...parts.slice(0, -2), 'A'.repeat(32), 'B'.repeat(32)].join('.'))
    await renewed(t, app, second.refresh_token)
  })
})

t.test('a refresh token', async t => {
  t.test('is not stored in clear', async t => {
    const url = await appUrl(t)
    const app = await build(t, { url })
    const { email } = await addUser(app)
    const first = await logIn(app, email)
    const second = await renewed(t, app, first.refresh_token)
    const database = await databaseOf(t, url)
    const stored = []
    for (const { name } of await database.listCollections().toArray()) stored.push(...(await database.collection(name).find().toArray()))
    const text = JSON.stringify(stored)
    t.match(text, email)
    // The secret parts are the long ones. Ids and numbers of a token may be stored.
    const { sid } = claimsOf(first)
    const secrets = [first, second].flatMap(pair => [
      pair.refresh_token,
      ...pair.refresh_token.split('.').filter(part => part.length > 20 && part !== sid)
    ])
    t.ok(secrets.length > 2)
    for (const secret of secrets) t.notOk(text.includes(secret))
    for (const { access_token } of [first, second]) t.notOk(text.includes(access_token))
  })

  t.test('ends with REFRESH_TOKEN_TTL', async t => {
    const url = await appUrl(t)
    const app = await build(t, { url, settings: { REFRESH_TOKEN_TTL: '90' } })
    const { email } = await addUser(app)
    const { refresh_token } = await logIn(app, email)
    const next = await renewed(t, app, refresh_token)
    const sessions = (await databaseOf(t, url)).collection('sessions')
    const left = (await sessions.findOne())?.expires_at.getTime() - Date.now()
    t.ok(left > 60_000 && left <= 90_000, `${left} ms are left`)
    await sessions.updateOne({}, { $set: { expires_at: new Date(Date.now() - 1) } })
    await assertRefused(t, app, next.refresh_token)
  })

  t.test('lives 60 days', async t => {
    const url = await appUrl(t)
    const app = await build(t, { url })
    await logIn(app, (await addUser(app)).email)
    const session = await (await databaseOf(t, url)).collection('sessions').findOne()
    const days = (session?.expires_at.getTime() - Date.now()) / 86_400_000
    t.ok(days > 59.9 && days <= 60, `${days} days`)
  })

  t.test('of a disabled user is refused', async t => {
    const app = await build(t)
    const { email } = await addUser(app)
    const { refresh_token } = await logIn(app, email)
    await app.data.users.disable(email)
    await assertRefused(t, app, refresh_token, 'a user who is disabled in the database')
    await app.data.users.enable(email)
    await renewed(t, app, (await logIn(app, email)).refresh_token)
  })
})

/** The same database, on which something else happens after each read of a session. */
const overtaking = (db: Db, meanwhile: () => Promise<void>): Db => {
  const sessions = db.collection('sessions')
  const read =
    (method: 'countDocuments' | 'findOne') =>
    async (...args: never[]) => {
      const found = await (sessions[method] as (...args: never[]) => Promise<unknown>)(...args)
      await meanwhile()
      return found
    }
  const overtaken = Object.assign(Object.create(sessions), { countDocuments: read('countDocuments'), findOne: read('findOne') })
  return Object.assign(Object.create(db), { collection: (name: string) => (name === 'sessions' ? overtaken : db.collection(name)) })
}

t.test('a user has at most 100 sessions', async t => {
  const url = await appUrl(t)
  const app = await build(t, { url })
  const database = await databaseOf(t, url)
  const sessions = database.collection<{ _id: string; account_id: number; expires_at: Date }>('sessions')
  const countOf = (account_id: number) => sessions.countDocuments({ account_id, ended_at: { $exists: false } })
  /** One after the other, a second apart. */
  const beginInTurn = async (user_id: number, count: number) => {
    const begun = []
    for (let i = 0; i < count; i++) begun.push(await beginSession(app.data, { _id: user_id }))
    for (const [i, { sid }] of begun.entries())
      await sessions.updateOne({ _id: sid }, [{ $set: { expires_at: { $subtract: ['$expires_at', (count - i) * 1000] } } }])
    return begun
  }

  t.test('a new login ends the one unused for longest', async t => {
    const [user, other] = [await addUser(app), await addUser(app)]
    const elsewhere = await logIn(app, other.email)
    const pairs = await beginInTurn(user._id, 100)
    const [first, second, third] = pairs as [(typeof pairs)[0], (typeof pairs)[0], (typeof pairs)[0]]
    const { refresh_token } = await renewed(t, app, first.refresh_token)
    t.equal(await countOf(user._id), 100)
    const newest = await logIn(app, user.email)
    t.equal(await countOf(user._id), 100)
    await assertRefused(t, app, second.refresh_token, 'the first session was used since, so the second one ends')
    for (const token of [refresh_token, third.refresh_token, newest.refresh_token, elsewhere.refresh_token]) await renewed(t, app, token)
  })

  t.test('many logins at once leave 100, their own among them', async t => {
    const user = await addUser(app)
    const before = await beginInTurn(user._id, 95)
    const begun = await Promise.all(Array.from({ length: 60 }, () => beginSession(app.data, user)))
    t.equal(await countOf(user._id), 100)
    for (const { refresh_token } of begun) await renewed(t, app, refresh_token)
    for (const { refresh_token } of before.slice(0, 55)) await assertRefused(t, app, refresh_token)
    await renewed(t, app, before.at(-1)?.refresh_token as string)
  })

  t.test('a login that another one overtakes ends no more than it has to', async t => {
    const user = await addUser(app)
    await beginInTurn(user._id, 100)
    let isOvertaken = false
    const db = overtaking(database, async () => {
      if (isOvertaken) return
      isOvertaken = true
      await beginSession(app.data, user)
    })
    await beginSession({ sessions: sessionsOf(db, { life: 3600, accessLife: 60, grace: 0 }) }, user)
    t.ok(isOvertaken)
    t.equal(await countOf(user._id), 100)
  })

  t.test('all that are too many go, however many there are', async t => {
    const user = await addUser(app)
    await beginSession(app.data, user)
    const like = await sessions.findOne({ account_id: user._id })
    await sessions.insertMany(Array.from({ length: 3000 }, (_, i) => ({ ...like, _id: `${i}` }) as never))
    await logIn(app, user.email)
    t.equal(await countOf(user._id), 100)
  })

  t.test('even where those that are there live longer than a new one', async t => {
    const user = await addUser(app)
    await beginInTurn(user._id, 100)
    const short = await build(t, { url, settings: { REFRESH_TOKEN_TTL: '3600' } })
    const { refresh_token } = await logIn(short, user.email)
    t.equal(await countOf(user._id), 100)
    await renewed(t, short, refresh_token)
  })
})
