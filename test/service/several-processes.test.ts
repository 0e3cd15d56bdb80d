import { setTimeout as sleep } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { dataOf } from '../../src/database/data.js'
import { unavailable } from '../../src/errors.js'
import type { UserDocument } from '../../src/identity/users.js'
import { anywhere, type PopularityDocument } from '../../src/recommendations/popularity-documents.js'
import { minutes, seconds } from '../../src/time.js'
import { unauthenticated } from '../helpers/answers.js'
import { type App, addUser, beginSession, build, buildWith, password } from '../helpers/app.js'
import { appUrl, databaseOf, seededUrl } from '../helpers/database.js'
import { profileOf } from '../helpers/devices.js'
import { content, film } from '../helpers/documents.js'
import { freezableMongod } from '../helpers/freeze.js'
import { serving } from '../helpers/serving.js'
import { until } from '../helpers/until.js'
import { type Viewer, viewerOf } from '../helpers/viewer.js'

t.test('ended sessions', async t => {
  // What a thief tries with a session that is being ended, on a service of two processes.

  interface Pair {
    access_token: string
    refresh_token: string
  }

  const post = (app: App, url: string, payload?: object, access_token?: string) =>
    app.inject({
      method: 'POST',
      url,
      ...(payload && { payload }),
      ...(access_token && { headers: { authorization: `Bearer ${access_token}` } })
    })
  const logIn = async (app: App, { email }: UserDocument): Promise<Pair> => (await post(app, '/login', { email, password })).json().data
  const sidOf = ({ access_token }: Pair) => JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString()).sid as string

  const newCode = async (app: App): Promise<{ device_code: string; user_code: string }> =>
    (await post(app, '/login/device', {})).json().data
  const approve = (app: App, user_code: string, { access_token }: Pair) =>
    post(app, `/login/device/${user_code}`, { approve: true }, access_token)
  const ask = async (app: App, device_code: string) => {
    const answer = await post(app, '/login/device/token', { device_code })
    return answer.statusCode === 200 ? 'signed in' : answer.json().error
  }

  const withToken = (app: App, { access_token }: Pair, method: 'GET' | 'DELETE' | 'PUT', url: string, payload?: object) =>
    app.inject({ method, url, headers: { authorization: `Bearer ${access_token}` }, ...(payload && { payload }) })

  const assertDead = async (t: Test, app: App, pair: Pair, what: string) => {
    t.equal((await post(app, '/login/refresh', { refresh_token: pair.refresh_token })).body, unauthenticated, `${what}: the refresh token`)
    t.ok((await until(async () => (await withToken(app, pair, 'GET', '/history')).statusCode === 401)) < 2000, `${what}: the access token`)
  }

  /** The ways to end every session of an account but, at most, that of the caller. */
  const ends: Record<string, (app: App, owner: Pair, user: UserDocument) => Promise<unknown>> = {
    'PUT /me/password': (app, owner) => withToken(app, owner, 'PUT', '/me/password', { password, new_password: 'another password' }),
    'DELETE /sessions': (app, owner) => withToken(app, owner, 'DELETE', '/sessions'),
    'DELETE /sessions?others=true': (app, owner) => withToken(app, owner, 'DELETE', '/sessions?others=true'),
    'a command': (app, _owner, { _id }) => dataOf(databaseOf(app), app.settings).sessions.endAll(_id)
  }

  /** Lets something else happen before this process goes on with a method of its data. */
  const before = <Name extends string, Of extends Record<Name, (...given: never[]) => Promise<unknown>>>(
    t: Test,
    data: Of,
    name: Name,
    meanwhile: () => Promise<unknown>
  ) => {
    const real = data[name]
    const restore = () => {
      data[name] = real
    }
    data[name] = (async (...given: never[]) => {
      restore()
      await meanwhile()
      return real(...given)
    }) as Of[Name]
    t.teardown(restore)
  }

  t.test('what was begun before all sessions ended is over, whichever process began it', async t => {
    const url = await appUrl(t)
    const [here, there] = [await build(t, { url }), await build(t, { url })]

    for (const [what, end] of Object.entries(ends)) {
      t.test(`${what}: an approval of a device`, async t => {
        const user = await addUser(here)
        const [owner, thief] = [await logIn(here, user), await logIn(there, user)]
        const [early, late, lost] = [await newCode(there), await newCode(there), await newCode(there)]
        t.equal((await approve(there, early.user_code, thief)).statusCode, 200)
        before(t, there.data.deviceCodes, 'decide', () => end(here, owner, user))
        t.equal((await approve(there, late.user_code, thief)).statusCode, 200, 'the approval is under way while the sessions are ended')
        t.equal((await approve(there, lost.user_code, thief)).body, unauthenticated, 'the access token may still be taken elsewhere')
        t.equal(await ask(there, late.device_code), 'access_denied')
        t.equal(await ask(here, early.device_code), 'expired_token')
        t.equal(await ask(here, lost.device_code), 'authorization_pending')
        t.strictSame(
          (await here.data.sessions.list(user._id)).map(({ _id }) => _id),
          /password|others/.test(what) ? [sidOf(owner)] : []
        )
      })

      t.test(`${what}: a code that is being redeemed`, async t => {
        const user = await addUser(here)
        const [owner, thief] = [await logIn(here, user), await logIn(there, user)]
        const code = await newCode(there)
        t.equal((await approve(there, code.user_code, thief)).statusCode, 200)
        before(t, there.data.sessions, 'begin', () => end(here, owner, user))
        t.equal(await ask(there, code.device_code), 'access_denied')
      })

      t.test(`${what}: a switch of profile`, async t => {
        const user = await addUser(here)
        const profile = await profileOf(here, user)
        const [owner, thief] = [await logIn(here, user), await logIn(there, user)]
        before(t, there.data.sessions, 'begin', () => end(here, owner, user))
        t.equal((await post(there, `/profiles/${profile._id}/token`, {}, thief.access_token)).body, unauthenticated)
        t.equal((await post(there, `/profiles/${profile._id}/token`, {}, thief.access_token)).body, unauthenticated, 'also afterwards')
      })

      t.test(`${what}: a login`, async t => {
        const user = await addUser(here)
        const owner = await logIn(here, user)
        before(t, there.data.sessions, 'begin', () => end(here, owner, user))
        t.equal((await post(there, '/login', { email: user.email, password })).body, unauthenticated)
      })

      t.test(`${what}: a session that was stored too late to be found`, async t => {
        const user = await addUser(here)
        const owner = await logIn(here, user)
        await end(here, owner, user)
        // As by a process that was frozen before it could look at the account again.
        const stale = await beginSession(there.data, { _id: user._id })
        t.equal((await post(here, '/login/refresh', { refresh_token: stale.refresh_token })).body, unauthenticated)
        t.equal(await there.data.sessions.living(user._id, stale.sid), undefined)
      })
    }

    t.test('also while another process has yet to end the sessions that it has found', async t => {
      const user = await addUser(here)
      const profile = await profileOf(here, user)
      const thief = await logIn(there, user)
      const isEnding = () =>
        databaseOf(here)
          .collection<{ _id: number }>('users')
          .updateOne({ _id: user._id }, { $inc: { session_epoch: 1 } })
      before(t, there.data.sessions, 'begin', isEnding)
      t.equal((await post(there, `/profiles/${profile._id}/token`, {}, thief.access_token)).body, unauthenticated)
      t.strictSame(
        (await here.data.sessions.list(user._id)).map(({ _id }) => _id),
        [sidOf(thief)]
      )
    })

    t.test('but the session that ended the others goes on', async t => {
      const user = await addUser(here)
      const profile = await profileOf(here, user)
      const [owner, other] = [await logIn(here, user), await logIn(there, user)]
      const code = await newCode(there)
      t.equal((await withToken(here, owner, 'DELETE', '/sessions?others=true')).statusCode, 200)
      await assertDead(t, there, other, 'the other session')
      t.equal((await approve(there, code.user_code, owner)).statusCode, 200)
      t.equal(await ask(here, code.device_code), 'signed in')
      const child: Pair = (await post(there, `/profiles/${profile._id}/token`, {}, owner.access_token)).json().data
      const renewed = await post(there, '/login/refresh', { refresh_token: owner.refresh_token })
      t.equal(renewed.statusCode, 200)
      t.equal((await withToken(there, child, 'DELETE', '/sessions?others=true')).statusCode, 200)
      await assertDead(t, here, renewed.json().data, 'the session that had ended the others')
      t.equal((await post(here, '/login/refresh', { refresh_token: child.refresh_token })).statusCode, 200)
    })
  })

  t.test('within the 2 s in which an access token outlives its session', async t => {
    const url = await appUrl(t)
    const [here, there] = [await build(t, { url }), await build(t, { url })]

    t.test('a thief cannot sign out the owner', async t => {
      const user = await addUser(here)
      const [owner, thief] = [await logIn(here, user), await logIn(there, user)]
      await withToken(here, owner, 'DELETE', '/sessions?others=true')
      for (const url of ['/sessions?others=true', '/sessions', `/sessions/${sidOf(owner)}`])
        t.equal((await withToken(there, thief, 'DELETE', url)).body, unauthenticated, url)
      t.equal((await post(here, '/login/refresh', { refresh_token: owner.refresh_token })).statusCode, 200)
    })

    t.test('a child cannot leave the limit that was just set', async t => {
      const user = await addUser(here)
      const child = await profileOf(here, user)
      const { access_token } = await logIn(there, user)
      const session: Pair = (await post(there, `/profiles/${child._id}/token`, {}, access_token)).json().data
      await here.data.profiles.change(user._id, child._id, { max_age: 6 })
      const leave = (payload: object) => post(there, `/profiles/${user._id}/token`, payload, session.access_token)
      t.equal((await leave({})).body, unauthenticated)
      t.equal((await leave({ password })).statusCode, 200)
    })
  })

  t.test('a change of password that breaks off', async t => {
    const app = await build(t)

    t.test('can be repeated, and has ended the other sessions', async t => {
      const user = await addUser(app)
      const [owner, thief] = [await logIn(app, user), await logIn(app, user)]
      const change = () => withToken(app, owner, 'PUT', '/me/password', { password, new_password: 'another password' })
      before(t, app.data.users, 'changePassword', async () => {
        throw unavailable()
      })
      t.equal((await change()).statusCode, 503)
      await assertDead(t, app, thief, 'the other session')
      t.equal((await change()).statusCode, 200)
    })

    t.test('has refused the sessions that it did not come to end', async t => {
      const { users, sessions } = app.data
      const isRefreshed = async (end: (user: UserDocument, sid: string) => Promise<unknown>) => {
        const user = await addUser(app)
        const { sid, refresh_token } = await beginSession({ sessions }, user)
        await end(user, sid)
        await users.enable(user._id)
        return (await post(app, '/login/refresh', { refresh_token })).statusCode === 200
      }
      t.equal(await isRefreshed((user, sid) => users.changePassword(user, 'x', sid)), true, 'the session that changes it')
      t.equal(await isRefreshed(user => users.changePassword(user, 'x', 'another')), false)
      t.equal(await isRefreshed(({ email }) => users.setPassword(email as string, 'x')), false)
      t.equal(await isRefreshed(({ _id }) => users.disable(_id)), false)
    })
  })

  t.test('an end that the database takes long to write is refused by every process all the same', async t => {
    const mongod = await freezableMongod(t)
    const settings = { DATABASE_TIMEOUT: '30000' }
    const [here, there] = [await build(t, { url: mongod.url, settings }), await build(t, { url: mongod.url, settings })]
    const user = await addUser(here)
    const [owner, thief] = [await logIn(here, user), await logIn(there, user)]
    // As a backup of the disk does it. Reads go on.
    const admin = here.mongoClient.db('admin')
    await admin.command({ fsync: 1, lock: true })
    const ended = withToken(here, owner, 'DELETE', `/sessions/${sidOf(thief)}`)
    await sleep(8000)
    t.equal((await withToken(there, thief, 'GET', '/sessions')).statusCode, 200, 'the write waits')
    await admin.command({ fsyncUnlock: 1 })
    t.equal((await ended).statusCode, 200)
    await assertDead(t, there, thief, 'the session')
  })

  t.test('an approval counts as long as the session that gave it lives', async t => {
    const url = await appUrl(t)
    const [here, there] = [await build(t, { url, settings: { ACCESS_TOKEN_TTL: '5' } }), await build(t, { url })]
    const approved = async (user: UserDocument) => {
      const [thief, code] = [await logIn(there, user), await newCode(there)]
      t.equal((await approve(there, code.user_code, thief)).statusCode, 200)
      return { thief, code, sid: sidOf(thief) }
    }

    t.test('not after that session was ended by another', async t => {
      const user = await addUser(here)
      const owner = await logIn(here, user)
      const { code, sid } = await approved(user)
      before(t, there.data.sessions, 'begin', () => withToken(here, owner, 'DELETE', `/sessions/${sid}`))
      t.equal(await ask(there, code.device_code), 'access_denied')
      const again = await approved(user)
      await withToken(here, owner, 'DELETE', `/sessions/${again.sid}`)
      t.equal(await ask(there, again.code.device_code), 'expired_token')
    })

    t.test('not after a reused refresh token ended it, nor by a later logout', async t => {
      const user = await addUser(here)
      const { thief, code, sid } = await approved(user)
      await here.data.sessions.end(user._id, sid)
      await post(there, '/logout', undefined, thief.access_token)
      t.equal(await ask(there, code.device_code), 'access_denied')
    })

    t.test('but after it has logged out by itself, for as long as the code lives', async t => {
      const user = await addUser(here)
      const { thief, code, sid } = await approved(user)
      await here.data.sessions.logOut(user._id, sid)
      const ended = await databaseOf(here).collection<{ _id: string; expires_at: Date }>('sessions').findOne({ _id: sid })
      t.ok(Number(ended?.expires_at) - Date.now() > 599_000, 'known longer than a code lives')
      await assertDead(t, there, thief, 'the session')
      t.equal(await ask(there, code.device_code), 'signed in')
    })

    t.test('and if it is the one that makes room for the device', async t => {
      const user = await addUser(here)
      const { code, sid } = await approved(user)
      for (let i = 0; i < 99; i++) await beginSession(here.data, user)
      await databaseOf(here)
        .collection<{ _id: string; expires_at: Date }>('sessions')
        .updateOne({ _id: sid }, [{ $set: { expires_at: { $subtract: ['$expires_at', 60_000] } } }])
      t.equal(await ask(there, code.device_code), 'signed in')
      t.equal(await here.data.sessions.living(user._id, sid), undefined)
    })
  })

  t.test('a shorter ACCESS_TOKEN_TTL brings back nothing that has ended', async t => {
    const url = await appUrl(t)
    const long = await build(t, { url })
    const user = await addUser(long)
    const [first, second] = [await logIn(long, user), await logIn(long, user)]
    const short = await build(t, { url, settings: { ACCESS_TOKEN_TTL: '5' } })
    const sessions = databaseOf(long).collection<{ _id: string; expires_at: Date }>('sessions')
    const millisecondsLeft = async (sid: string) => Number((await sessions.findOne({ _id: sid }))?.expires_at) - Date.now()

    const renewed: Pair = (await post(short, '/login/refresh', { refresh_token: first.refresh_token })).json().data
    await post(short, '/logout', undefined, renewed.access_token)
    t.ok((await millisecondsLeft(sidOf(first))) > 3_600_000, 'the first token of the session may live for an hour')
    await assertDead(t, long, first, 'the session')

    t.equal((await withToken(short, second, 'GET', '/history')).statusCode, 200)
    await until(async () => (await withToken(short, second, 'GET', '/history')).statusCode === 401, { within: 7000 })
    t.equal((await withToken(long, second, 'GET', '/history')).statusCode, 200)

    const note = async (id: number) => {
      const found = await databaseOf(long).collection<{ _id: number; tokens_until: Date }>('erasures').findOne({ _id: id })
      return Number(found?.tokens_until) - Date.now()
    }
    const mia = await profileOf(short, user)
    await short.data.profiles.change(user._id, mia._id, { max_age: 6 })
    const profiles = databaseOf(long).collection<{ _id: number; old_limit_until: Date }>('users')
    t.ok(Number((await profiles.findOne({ _id: mia._id }))?.old_limit_until) - Date.now() > 3_900_000)
    const current: Pair = (await post(short, '/login/refresh', { refresh_token: second.refresh_token })).json().data
    t.equal((await withToken(short, current, 'DELETE', `/profiles/${mia._id}`)).statusCode, 200)
    t.ok((await note(mia._id)) > 3_600_000, 'tokens of the profile')
    t.equal((await withToken(short, current, 'DELETE', '/me', { password })).statusCode, 200)
    t.ok((await note(user._id)) > 3_600_000, 'tokens of the account')
  })
})

t.test('erasures', async t => {
  t.test('a user that one process erases is refused by the others within 2 s, and nothing comes back', async t => {
    const url = await seededUrl(t, { contents: Array.from({ length: 50 }, (_, i) => film(i + 1)) })
    const [one, two] = [await build(t, { url }), await build(t, { url })]
    const viewer = await viewerOf(one)
    const elsewhere: Viewer = {
      ...viewer,
      post: (path, payload = {}) => two.inject({ method: 'POST', url: path, headers: viewer.headers, payload })
    }
    const left = async () => {
      const counts = ['history', 'watchlist', 'sessions'].map(name =>
        databaseOf(one)
          .collection(name)
          .countDocuments({ $or: [{ user_id: viewer.id }, { account_id: viewer.id }] })
      )
      return (await Promise.all(counts)).reduce((sum, count) => sum + count)
    }

    t.equal((await elsewhere.post('/history', { content_id: 1, time: 1 })).statusCode, 201)
    t.equal((await viewer.remove('/me', { password })).statusCode, 200)
    t.equal(await left(), 0)
    t.equal((await viewer.get('/history')).statusCode, 401, 'the process that erased the user refuses the token at once')
    let accepted = 0
    const refused = await until(async () => {
      const { statusCode } = await elsewhere.post('/history', { content_id: accepted + 2, time: 1 })
      if (statusCode === 201) accepted++
      return statusCode === 401
    })
    t.ok(refused < 2000, `${refused} ms`)
    await two.data.watchlist.add(viewer.id, 1)
    t.ok((await left()) > 0, 'a request that was in flight has written something')
    await until(async () => (await left()) === 0)

    const later = await build(t, { url })
    t.equal(
      (await later.inject({ url: '/history', headers: viewer.headers })).statusCode,
      401,
      'a process that starts later refuses it as well'
    )
  })
})

t.test('clocks that differ', async t => {
  /** Sets the clock of a process, as far as JavaScript reads it. */
  const clockOffBy = (milliseconds: number) => {
    const code = `
    const Right = Date
    globalThis.Date = class extends Right {
      constructor(...given) {
        super(...(given.length > 0 ? given : [Date.now()]))
      }
      static now() {
        return Right.now() + ${milliseconds}
      }
    }`
    return `data:text/javascript,${encodeURIComponent(code)}`
  }

  /** The address of a process with a clock of its own. */
  const servingAt = async (t: Test, MONGO_URL: string, offBy: number) => {
    const { address } = await serving(t, { settings: { MONGO_URL }, imports: [clockOffBy(offBy)] })
    return address
  }

  t.test('processes whose clocks differ', async t => {
    const app = await buildWith(t, { contents: [content(1), content(2)] })
    const { MONGO_URL } = app.settings

    const [fast, slow] = await Promise.all([servingAt(t, MONGO_URL, seconds(2)), servingAt(t, MONGO_URL, -seconds(2))])
    const { email } = await addUser(app)
    const signedIn = await fetch(`${fast}/login`, { method: 'POST', body: JSON.stringify({ email, password }) })
    const { data } = (await signedIn.json()) as { data: { access_token: string } }
    const ask = async (address: string, path: string, method = 'GET', body?: object) => {
      const headers = { authorization: `Bearer ${data.access_token}` }
      const response = await fetch(address + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      // biome-ignore lint/suspicious/noExplicitAny: the shapes are the matter of other tests
      return { status: response.status, body: (await response.json()) as any }
    }

    t.test('by seconds take each other’s tokens', async t => {
      t.equal((await ask(slow, '/history')).status, 200)
    })

    t.test('keep the report that came last, whichever of them took it', async t => {
      for (const [n, address] of [fast, slow, fast, slow].entries()) {
        t.equal((await ask(address, '/history', 'POST', { content_id: 1, time: n + 1 })).status, 201)
        const { body } = await ask(fast, '/history')
        t.equal(body.data.collection[0].time, n + 1)
      }
    })

    t.test('know what was watched after a card was dismissed', async t => {
      const cards = async () => (await ask(fast, '/continue-watching')).body.data.collection.length
      t.equal(await cards(), 1)
      t.equal((await ask(fast, '/continue-watching/1', 'DELETE')).status, 200)
      t.equal(await cards(), 0)
      t.equal((await ask(slow, '/history', 'POST', { content_id: 1, time: 60 })).status, 201)
      t.equal(await cards(), 1)
    })

    t.test('refuse within 2 s what the other has ended', async t => {
      t.equal((await ask(fast, '/logout', 'POST')).status, 200)
      await until(async () => (await ask(slow, '/history')).status === 401, { within: 2000 })
    })
  })

  t.test('a process whose clock is hours off counts what is popular when it is due', async t => {
    const url = await appUrl(t)
    const client = await MongoClient.connect(url)
    t.teardown(() => client.close())
    const popularity = client.db().collection<PopularityDocument>('popularity')
    const before = new Date(Date.now() - seconds(60))
    await popularity.insertOne({ _id: anywhere, content_ids: [], views: [], counted_at: before, took: 1 })
    await servingAt(t, url, -minutes(300))
    const last = async () => (await popularity.findOne({ _id: anywhere }))?.counted_at.getTime() ?? 0
    const end = performance.now() + 20_000
    while ((await last()) <= before.getTime() && performance.now() < end) await sleep(50)
    const age = Date.now() - (await last())
    t.ok(age >= 0 && age < seconds(30), `${age} ms ago by the clock of the database`)
  })
})
