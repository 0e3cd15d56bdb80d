import { randomUUID } from 'node:crypto'
import t from 'tap'
import { unauthenticated } from '../helpers/answers.js'
import { type App, addUser, beginSession, build, password } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { tick, until } from '../helpers/until.js'

const logIn = async (app: App, email: string, device?: unknown) => {
  const answer = await app.inject({ method: 'POST', url: '/login', payload: { email, password, ...(device !== undefined && { device }) } })
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return sessionOf(app, answer.json().data)
}

const sessionOf = (app: App, { access_token, refresh_token }: { access_token: string; refresh_token: string }) => {
  const headers = { authorization: `Bearer ${access_token}` }
  const ask = (method: 'GET' | 'DELETE', url: string) => app.inject({ method, url, headers })
  const { sid } = JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString())
  return {
    id: sid as string,
    headers,
    get: (url: string) => ask('GET', url),
    remove: (url: string) => ask('DELETE', url),
    list: async () => (await ask('GET', '/sessions')).json().data as { id: string; [field: string]: unknown }[],
    refresh: () => app.inject({ method: 'POST', url: '/login/refresh', payload: { refresh_token } })
  }
}
type Session = Awaited<ReturnType<typeof logIn>>

/** Whether the access token and the refresh token are taken. */
const lives = async (session: Session) => {
  const [access, refresh] = [(await session.get('/history')).statusCode, (await session.refresh()).statusCode]
  if (access !== refresh) throw new Error(`${access} for the access token, ${refresh} for the refresh token`)
  return access === 200
}

const isDone = { success: true, code: 200, 'message ': /\w/, message: /\w/ }

const app = await build(t)

t.test('sessions', async t => {
  const sessions = databaseOf(app).collection<{ _id: string; account_id: number }>('sessions')
  const newEmail = async () => (await addUser(app)).email

  t.test('are listed, the one used last first', async t => {
    const email = await newEmail()
    const phone = await logIn(app, email, 'Phone')
    await tick()
    const tv = await logIn(app, email, 'Living room TV')
    await tick()
    const nameless = await logIn(app, email)

    const answer = await tv.get('/sessions')
    t.equal(answer.statusCode, 200)
    t.equal(answer.headers['cache-control'], 'private, no-store')
    const { success, data } = answer.json()
    t.equal(success, true)
    t.strictSame(
      data.map(({ created_at, last_used_at, ...rest }: Record<string, string>) => rest),
      [
        { id: nameless.id, device: null, current: false },
        { id: tv.id, device: 'Living room TV', current: true },
        { id: phone.id, device: 'Phone', current: false }
      ]
    )
    for (const { created_at, last_used_at } of data) {
      t.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
      t.equal(last_used_at, created_at)
    }

    await tick()
    await phone.get('/history')
    t.strictSame(
      (await tv.list()).map(({ id }) => id),
      [nameless.id, tv.id, phone.id],
      'a request does not count as use'
    )
    t.equal((await phone.refresh()).statusCode, 200)
    const [first, ...others] = await tv.list()
    t.match(first, { id: phone.id, device: 'Phone' })
    t.ok(String(first?.last_used_at) > String(first?.created_at), 'a refresh counts as use')
    t.strictSame(
      others.map(({ id }) => id),
      [nameless.id, tv.id]
    )
  })

  t.test('have the device as it was sent', async t => {
    const email = await newEmail()
    const devices = ['x'.repeat(100), '📺'.repeat(100), 'Café “Nord” – 客厅', ' ', '<b>&amp;</b>', '{"$gt":""}']
    for (const device of devices) await logIn(app, email, device)
    const nameless = await logIn(app, email, '')
    const listed = (await nameless.list()).map(({ device }) => device)
    t.strictSame([...listed].sort(), [...devices, null].sort())
  })

  t.test('have no other device', async t => {
    const email = await newEmail()
    const bad = ['x'.repeat(101), '📺'.repeat(101), 'a\nb', '\u0000', 'a\u001b[31mb', '\u007f', '\u0085', 5, null, true, {}, ['TV']]
    for (const device of bad) {
      const { statusCode, body } = await app.inject({ method: 'POST', url: '/login', payload: { email, password, device } })
      t.equal(statusCode, 400, JSON.stringify(device))
      t.match(JSON.parse(body), { success: false, code: 400, message: /^device \w+/, errors: [{ field: 'device', message: /\w/ }] })
    }
    t.equal((await (await logIn(app, email)).list()).length, 1, 'refused logins begin no session')
  })

  t.test('that lack fields are listed too', async t => {
    const email = await newEmail()
    const session = await logIn(app, email, 'TV')
    await sessions.updateOne({ _id: session.id }, { $unset: { device: '', access_life: '' } }, { bypassDocumentValidation: true })
    t.match(await session.list(), [{ id: session.id, device: null, current: true }])
    t.equal((await session.remove(`/sessions/${session.id}`)).statusCode, 200)
    t.equal(await lives(session), false)
  })

  t.test('that have expired are not listed, and cannot be ended', async t => {
    const email = await newEmail()
    const [expired, session] = [await logIn(app, email), await logIn(app, email)]
    await sessions.updateOne({ _id: expired.id }, { $set: { expires_at: new Date(Date.now() - 1) } })
    t.match(await session.list(), [{ id: session.id }])
    t.equal((await session.remove(`/sessions/${expired.id}`)).statusCode, 404)
  })

  t.test('end one by one', async t => {
    const email = await newEmail()
    const [phone, tv, other] = [await logIn(app, email), await logIn(app, email), await logIn(app, email)]
    const answer = await phone.remove(`/sessions/${tv.id}`)
    t.equal(answer.statusCode, 200)
    t.match(answer.json(), isDone)
    const refused = await tv.get('/history')
    t.strictSame([refused.statusCode, refused.body], [401, unauthenticated], 'the session ends at once')
    t.equal(await lives(tv), false)
    t.strictSame([await lives(phone), await lives(other)], [true, true])
    t.strictSame((await phone.list()).map(({ id }) => id).sort(), [phone.id, other.id].sort())
    t.equal((await phone.remove(`/sessions/${tv.id}`)).statusCode, 404, 'the session does not exist any more')
    t.equal((await phone.remove(`/sessions/${phone.id}`)).statusCode, 200, 'a session may end itself')
    t.equal(await lives(phone), false)
  })

  t.test('are ended by their own user alone', async t => {
    const [mine, theirs] = [await logIn(app, await newEmail()), await logIn(app, await newEmail())]
    const answer = await mine.remove(`/sessions/${theirs.id}`)
    t.strictSame([answer.statusCode, answer.json()], [403, { code: 403, success: false, message: 'Forbidden' }])
    for (const url of ['/sessions?others=true', '/sessions']) t.equal((await mine.remove(url)).statusCode, 200)
    t.strictSame([await lives(mine), await lives(theirs)], [false, true])
  })

  t.test('with invalid ids are not found', async t => {
    const session = await logIn(app, await newEmail())
    const ids = [
      randomUUID(),
      session.id.toUpperCase(),
      `${session.id}%20`,
      'x',
      '1',
      '',
      '%00',
      '[object%20Object]',
      '$ne',
      'x'.repeat(5000)
    ]
    for (const id of ids) {
      const answer = await session.remove(`/sessions/${id}`)
      t.strictSame([answer.statusCode, answer.json()], [404, { code: 404, success: false, message: 'Resource not found' }], id.slice(0, 50))
    }
    t.equal(await lives(session), true)
  })

  t.test('end all but one', async t => {
    const email = await newEmail()
    const [phone, tv, laptop] = [await logIn(app, email), await logIn(app, email), await logIn(app, email)]
    for (const url of ['/sessions?others=', '/sessions?others=yes', '/sessions?others=1', '/sessions?others=true&others=true'])
      t.match((await phone.remove(url)).json(), { code: 400, errors: [{ field: 'others' }] }, url)
    t.equal((await phone.list()).length, 3)
    const answer = await phone.remove('/sessions?others=true')
    t.strictSame(answer.statusCode, 200)
    t.match(answer.json(), isDone)
    t.strictSame([await lives(phone), await lives(tv), await lives(laptop)], [true, false, false])
    t.equal((await phone.remove('/sessions?others=true')).statusCode, 200, 'also without other sessions')
  })

  t.test('end all', async t => {
    const email = await newEmail()
    for (const url of ['/sessions', '/sessions?others=false']) {
      const [phone, tv] = [await logIn(app, email), await logIn(app, email)]
      t.match((await phone.remove(url)).json(), isDone)
      t.strictSame([await lives(phone), await lives(tv)], [false, false], url)
    }
  })

  t.test('that end while they are refreshed have ended', async t => {
    const email = await newEmail()
    for (let round = 0; round < 20; round++) {
      const [session, other] = [await logIn(app, email), await logIn(app, email)]
      const [refreshed, ended] = await Promise.all([session.refresh(), other.remove(`/sessions/${session.id}`)])
      t.equal(ended.statusCode, 200)
      t.equal(await lives(session), false)
      if (refreshed.statusCode === 200) t.equal(await lives(sessionOf(app, refreshed.json().data)), false, 'the new tokens do not work')
    }
  })

  t.test('of a stolen refresh token end with their access tokens', async t => {
    const strict = await build(t, { url: app.settings.MONGO_URL, settings: { REFRESH_GRACE: '0' } })
    const session = await logIn(strict, await newEmail())
    const thief = sessionOf(strict, (await session.refresh()).json().data)
    t.equal((await thief.get('/history')).statusCode, 200)
    await tick()
    t.equal((await session.refresh()).statusCode, 401)
    t.strictSame([await lives(session), await lives(thief)], [false, false])
  })

  t.test('beyond the hundredth end with their access tokens', async t => {
    const user = await addUser(app)
    const first = await logIn(app, user.email)
    await sessions.updateOne({ _id: first.id }, [{ $set: { expires_at: { $subtract: ['$expires_at', 1000] } } }])
    const second = await logIn(app, user.email)
    for (let i = 0; i < 98; i++) await beginSession(app.data, user)
    t.equal((await first.get('/history')).statusCode, 200)
    const newest = await logIn(app, user.email)
    t.strictSame([await lives(first), await lives(second), await lives(newest)], [false, true, true])
    t.equal((await newest.list()).length, 100)
  })

  t.test('need a token', async t => {
    for (const [method, url] of [
      ['GET', '/sessions'],
      ['DELETE', '/sessions'],
      ['DELETE', '/sessions/x']
    ] as const) {
      const answer = await app.inject({ method, url })
      t.strictSame([answer.statusCode, answer.body], [401, unauthenticated], `${method} ${url}`)
    }
  })
})

t.test('POST /logout', async t => {
  const { email } = await addUser(app)
  const logOut = (headers: Record<string, string>, payload?: string) =>
    app.inject({ method: 'POST', url: '/logout', headers, ...(payload === undefined ? {} : { payload }) })

  t.test('ends the session with its access token', async t => {
    const session = await logIn(app, email)
    const response = await logOut(session.headers)
    t.equal(response.statusCode, 200)
    const { message, ...rest } = response.json()
    t.type(message, 'string')
    t.not(message, '')
    t.strictSame(rest, { success: true, code: 200, 'message ': message })
    t.equal((await session.refresh()).statusCode, 401)
    t.equal((await logOut(session.headers)).statusCode, 401, 'a second time')
  })

  t.test('leaves the other sessions of the user and those of others alone', async t => {
    const other = await addUser(app)
    const [session, second, stranger] = [await logIn(app, email), await logIn(app, email), await logIn(app, other.email)]
    t.equal((await logOut(session.headers)).statusCode, 200)
    t.equal((await session.refresh()).statusCode, 401)
    t.equal((await second.refresh()).statusCode, 200)
    t.equal((await stranger.refresh()).statusCode, 200)
  })

  t.test('wants a token', async t => {
    const { statusCode, body } = await logOut({})
    t.equal(statusCode, 401)
    t.equal(body, JSON.stringify({ success: false, message: 'Unauthenticated.' }))
  })

  t.test('takes the access token of a user who was disabled for no longer than 2 s', async t => {
    const gone = await addUser(app)
    const { headers } = await logIn(app, gone.email)
    await app.data.users.disable(gone.email)
    t.ok((await until(async () => (await logOut(headers)).statusCode === 401)) < 2000)
  })

  for (const payload of [undefined, '', '{}', 'null', '[]', '{"everywhere":true}']) {
    t.test(`has no use for a body: ${payload}`, async t => {
      const { headers } = await logIn(app, email)
      t.equal((await logOut({ ...headers, 'content-type': 'application/json' }, payload)).statusCode, 200)
    })
  }

  t.test('tells a missing token before it looks at the body', async t => {
    t.equal((await logOut({ 'content-type': 'application/json' }, '{"a":')).statusCode, 401)
  })
})
