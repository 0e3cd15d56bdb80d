import t, { type Test } from 'tap'
import { createCalls, createTransport, type Fetch } from '../../client/calls.js'
import { createClock } from '../../client/clock.js'
import { createCodeSignIn, pause, type ShownCode } from '../../client/code-sign-in.js'
import type { Session, ViewerError } from '../../client/index.js'
import { addUser, password } from '../helpers/app.js'
import { databaseOf, seededUrl } from '../helpers/database.js'
import { closedGate, until } from '../helpers/until.js'
import {
  asBrowser,
  change,
  clientOf,
  createLocks,
  createStore,
  errorOf,
  gateTo,
  kindOf,
  newViewer,
  serve,
  signedIn,
  slowTo
} from './helper.js'

t.test('a session', async t => {
  t.test('a session is renewed', async t => {
    t.test('ahead of its end, once for all calls', async t => {
      const { app, baseUrl } = await serve(t)
      const store = createStore()
      await newViewer(app, clientOf(t, baseUrl, { store }).client)
      await change(store, { renew_at: Date.now() })
      const before = (await store.load('session'))?.refresh_token

      const { client, sent, count } = clientOf(t, baseUrl, { store })
      await Promise.all(Array.from({ length: 20 }, () => client.get('/history')))
      t.equal(count('POST /login/refresh'), 1)
      t.equal(count('GET /history'), 20, 'no request was sent twice')
      t.equal(sent[0]?.path, 'POST /login/refresh', 'the refresh came first')
      t.not((await store.load('session'))?.refresh_token, before, 'the new refresh token is stored')
    })

    t.test('in the last tenth of its life', async t => {
      const { app, baseUrl } = await serve(t, { settings: { ACCESS_TOKEN_TTL: '100' } })
      const store = createStore()
      await newViewer(app, clientOf(t, baseUrl, { store }).client)
      const { renew_at = 0 } = (await store.load('session')) ?? {}
      t.ok(Math.abs(renew_at - Date.now() - 90_000) < 5000, `${renew_at - Date.now()}`)
    })

    t.test('after a 401, once for all calls, each of which is sent again', async t => {
      const { app, baseUrl } = await serve(t)
      const store = createStore()
      await newViewer(app, clientOf(t, baseUrl, { store }).client)
      await change(store, { access_token: 'a.b.c' })

      const { client, count } = clientOf(t, baseUrl, { store })
      await Promise.all(Array.from({ length: 20 }, (_, n) => client.post('/watchlist', { body: { content_id: 1 + (n % 3) } })))
      t.equal(count('POST /login/refresh'), 1)
      t.equal(count('POST /watchlist'), 40)
      t.equal((await client.get('/watchlist')).meta.total_count, 3)
    })

    t.test('where a token has expired unseen', async t => {
      const { app, baseUrl } = await serve(t, { settings: { ACCESS_TOKEN_TTL: '2' } })
      const store = createStore()
      await newViewer(app, clientOf(t, baseUrl, { store }).client)
      await change(store, { renew_at: Date.now() + 60_000 })
      const { access_token } = (await store.load('session')) as Session
      const headers = { authorization: `Bearer ${access_token}` }
      await until(async () => (await app.inject({ url: '/history', headers })).statusCode === 401)
      const { client, count } = clientOf(t, baseUrl, { store })
      t.equal((await client.get('/history')).meta.total_count, 0)
      t.equal(count('POST /login/refresh'), 1)
    })

    t.test('unless it has ended: the app is told once, and calls that need no session still work', async t => {
      const { app, baseUrl } = await serve(t)
      const store = createStore()
      const { id } = await newViewer(app, clientOf(t, baseUrl, { store }).client)
      await change(store, { access_token: 'a.b.c' })
      await app.data.sessions.endAll(id)

      const ends: ViewerError[] = []
      const { client, count } = clientOf(t, baseUrl, { store, onSessionEnd: error => ends.push(error) })
      const errors = await Promise.all(Array.from({ length: 5 }, () => errorOf(client.get('/history'))))
      for (const error of errors) t.match(error, { kind: 'session-ended', message: /expired|revoked/, advice: /sign-in/ })
      t.equal(count('POST /login/refresh'), 1)
      t.match(ends, [{ kind: 'session-ended', cause: { status: 401 } }])
      t.equal(await client.user(), undefined)
      t.equal(await store.load('session'), null)

      t.ok((await client.get('/recommendations')).length > 0, 'popular titles need no token')
      t.equal(await kindOf(client.get('/history')), 'session-ended', 'a later call gets the same error')
      await newViewer(app, client)
      t.equal((await client.get('/history')).meta.total_count, 0, 'a new sign-in begins a new session')
    })

    t.test('later, where the service cannot be reached or asks for patience', async t => {
      const { app, baseUrl, again } = await serve(t)
      const store = createStore()
      await newViewer(app, clientOf(t, baseUrl, { store }).client)
      await change(store, { renew_at: 0 })
      const ends: ViewerError[] = []
      const { client, count } = clientOf(t, baseUrl, { store, onSessionEnd: error => ends.push(error) })
      await app.close()
      const kinds = await Promise.all(Array.from({ length: 5 }, () => kindOf(client.get('/history'))))
      t.ok(kinds.every(kind => kind === 'no-answer'))
      t.equal(count('POST /login/refresh'), 1, 'one refresh serves all that wait')
      t.equal(count('GET /history'), 0, 'the waiting calls send no request of their own')

      const { app: second } = await again()
      const busy = clientOf(t, baseUrl, {
        store,
        fetch: async (request, init) =>
          request.url.endsWith('/login/refresh') ? new Response(null, { status: 503 }) : fetch(request, init)
      })
      t.equal((await busy.client.get('/history')).meta.total_count, 0, 'the token that is still valid is used')
      t.equal((await client.get('/history')).meta.total_count, 0, 'the session is still alive')
      t.equal((await store.load('session'))?.user.name, 'A Viewer')
      t.equal(ends.length, 0)
      await second.close()
    })
  })

  t.test('a sign-out needs no connection', async t => {
    const { app, baseUrl } = await serve(t)
    const store = createStore()
    const { client } = clientOf(t, baseUrl, { store })
    await newViewer(app, client)
    await app.close()
    await client.signOut()
    t.equal(await client.user(), undefined)
    t.equal(await store.load('session'), null)
  })

  t.test('a sign-in while the previous session is renewed prevails', async t => {
    const { app, baseUrl } = await serve(t)
    const store = createStore()
    await newViewer(app, clientOf(t, baseUrl, { store }).client)
    await change(store, { renew_at: 0 })

    const { opened, open } = closedGate()
    const { client, count } = clientOf(t, baseUrl, {
      store,
      fetch: async request => {
        if (request.url.endsWith('/login/refresh')) await opened
        return fetch(request)
      }
    })
    const call = client.get('/history')
    await until(() => count('POST /login/refresh') === 1)
    const { id } = await newViewer(app, client)
    open()
    t.equal((await call).meta.total_count, 0)
    t.equal((await client.user())?.id, id)
    t.equal((await store.load('session'))?.user.id, id)
  })

  t.test('tabs share a session', async t => {
    const { app, baseUrl } = await serve(t)
    const tabsOf = async (t: Test, changes: Partial<Session> = { renew_at: 0 }) => {
      const store = createStore()
      const user = await newViewer(app, clientOf(t, baseUrl, { store }).client)
      await change(store, changes)
      const ends: ViewerError[] = []
      const refusals: Response[] = []
      const fetch = async (...given: Parameters<typeof globalThis.fetch>) => {
        const response = await globalThis.fetch(...given)
        if (response.status === 401) refusals.push(response)
        return response
      }
      const open = () => clientOf(t, baseUrl, { store, fetch, onSessionEnd: error => ends.push(error) })
      return { store, user, ends, refusals, tabs: [open(), open()] as const }
    }

    t.test('without Web Locks, the one whose refresh is refused takes what the other one got', async t => {
      asBrowser(t, { navigator: {} })
      const { tabs, ends, store, refusals } = await tabsOf(t)
      const { save } = store
      store.save = async (name, value) => {
        await until(() => refusals.length > 0)
        await save(name, value)
      }
      const totals = await Promise.all(tabs.map(async ({ client }) => (await client.get('/history')).meta.total_count))
      t.strictSame(totals, [0, 0])
      t.equal(ends.length, 0)
      for (const { client } of tabs) t.ok(await client.user())
    })

    t.test('with Web Locks, one refreshes for both', async t => {
      asBrowser(t, { navigator: { locks: createLocks() } })
      const { tabs, ends, user, store } = await tabsOf(t)
      await Promise.all(tabs.map(({ client }) => client.get('/history')))
      t.equal(tabs[0].count('POST /login/refresh') + tabs[1].count('POST /login/refresh'), 1)

      await app.data.sessions.endAll(user.id)
      await change(store, { access_token: 'a.b.c' })
      const { client } = clientOf(t, baseUrl, { store })
      const began = performance.now()
      t.equal(await kindOf(client.get('/history')), 'session-ended')
      t.ok(performance.now() - began < 1300, 'no other tab can have renewed it, so the client does not wait')
      t.equal(ends.length, 0)
    })

    t.test('and leave it together', async t => {
      const { tabs, ends, store } = await tabsOf(t, { access_token: 'a.b.c' })
      const [one, other] = tabs
      await other.client.user()
      await one.client.signOut()
      t.equal(await store.load('session'), null)
      t.equal(one.count('POST /logout'), 2, 'the token was renewed first, so that the service learns of the sign-out')
      t.equal(await one.client.user(), undefined)
      t.equal(await kindOf(one.client.get('/history')), 'signed-out')
      t.equal(ends.length, 0, 'a sign-out is not reported to its caller')

      t.equal(await kindOf(other.client.get('/history')), 'session-ended')
      t.equal(ends.length, 1)
      t.equal(other.count('POST /login/refresh'), 0)
    })

    t.test('one that another user took over is no longer ours', async t => {
      const { tabs, ends, store } = await tabsOf(t)
      const [one, other] = tabs
      await one.client.user()
      await newViewer(app, other.client)
      t.equal(await kindOf(one.client.get('/history')), 'session-ended')
      t.match(ends, [{ kind: 'session-ended' }])
      t.ok(await store.load('session'), 'the other session stays')
      t.equal((await other.client.get('/history')).meta.total_count, 0)
    })
  })

  t.test('a sign-out while another tab renews the session', async t => {
    asBrowser(t, { navigator: { locks: createLocks() } })
    const { app, baseUrl } = await serve(t)
    /** Two tabs, of which the second one will renew the session with its next call. */
    const tabs = async () => {
      const { store, user } = await signedIn(t, app, baseUrl)
      const { client } = clientOf(t, baseUrl, { store })
      await client.user()
      await change(store, { renew_at: 0 })
      const signOut = async () => {
        const leaving = client.signOut()
        await until(async () => (await client.user()) === undefined)
        return { leaving }
      }
      return { client, store, user, signOut }
    }

    t.test('has the last word', async t => {
      const { store, user, signOut } = await tabs()
      const saved: (number | undefined)[] = []
      const { save } = store
      store.save = async (name, value) => {
        if (name === 'session') saved.push((value as Session | null)?.user.id)
        await save(name, value)
      }
      const { slow, open, isReached } = slowTo(store, 'save')
      const { client: other } = clientOf(t, baseUrl, { store: slow })
      const call = kindOf(other.get('/history'))
      await until(isReached)
      const { leaving } = await signOut()
      open()
      await leaving
      t.equal(await call, 'session-ended')
      t.strictSame(saved, [user.id, undefined])
    })

    t.test('does not undo a sign-in made meanwhile', async t => {
      const { client, store, signOut } = await tabs()
      const { open, gated } = gateTo('/login/refresh')
      const { client: other, count } = clientOf(t, baseUrl, { store, fetch: gated })
      const call = kindOf(other.get('/history'))
      await until(() => count('POST /login/refresh') === 1)
      const { leaving } = await signOut()
      const { id } = await newViewer(app, client)
      open()
      await leaving
      t.equal(await call, 'session-ended')
      t.equal((await client.user())?.id, id)
      t.equal((await store.load('session'))?.user.id, id)
    })
  })
})

t.test('the list of sessions', async t => {
  t.test('the sessions of a user', async t => {
    const { app, baseUrl } = await serve(t)
    const { email, _id } = await addUser(app, 'ada@example.com', 'Ada')
    const signedIn = async (device?: string) => {
      const { client, count } = clientOf(t, baseUrl)
      await client.signIn(email, password, device === undefined ? {} : { device })
      return { client, count }
    }
    const [tv, phone, laptop] = [await signedIn('TV'), await signedIn('Phone'), await signedIn()]

    t.test('are listed', async t => {
      t.strictSame(await tv.client.me(), { id: _id, email, name: 'Ada' })
      const sessions = await tv.client.sessions()
      const listed = sessions.map(({ device, current }) => `${device} ${current}`)
      t.strictSame(listed.sort(), ['Phone false', 'TV true', 'null false'])
    })

    t.test('end one by one, or all but the own', async t => {
      const { id = '' } = (await tv.client.sessions()).find(({ device }) => device === 'Phone') ?? {}
      t.match(await tv.client.endSession(id), { code: 200 })
      t.equal(await kindOf(phone.client.get('/history')), 'session-ended')
      t.match(await errorOf(tv.client.endSession(id)), { kind: 'refused', status: 404 })
      t.equal((await tv.client.sessions()).length, 2)
      await tv.client.endOtherSessions()
      t.equal(await kindOf(laptop.client.get('/history')), 'session-ended')
      t.match(await tv.client.sessions(), [{ device: 'TV' }])
    })
  })

  t.test('an app is told of the end of its session within seconds, also by another process', async t => {
    const url = await seededUrl(t, {})
    const [one, other] = [await serve(t, { url }), await serve(t, { url })]
    const { email } = await addUser(one.app)
    const ends: ViewerError[] = []
    const { client: tv } = clientOf(t, one.baseUrl, { onSessionEnd: error => ends.push(error) })
    const { client: phone } = clientOf(t, other.baseUrl)
    for (const client of [tv, phone]) await client.signIn(email, password)
    await tv.get('/history')
    await phone.endOtherSessions()
    const took = await until(async () => (await tv.get('/history').catch(() => undefined)) === undefined)
    t.ok(took < 3000, `${took}`)
    t.match(ends, [{ kind: 'session-ended' }])
    t.equal(await tv.user(), undefined)
  })

  t.test('the password', async t => {
    const { app, baseUrl } = await serve(t)
    const [{ client, count }, other] = [clientOf(t, baseUrl), clientOf(t, baseUrl)]
    t.equal(await kindOf(client.changePassword(password, 'a new password')), 'signed-out')
    const user = await newViewer(app, client)
    await other.client.signIn(user.email, password)

    const sent = count('PUT /me/password')
    t.match(await errorOf(client.changePassword('wrong', 'a new password')), { kind: 'wrong-credentials', status: 401 })
    t.equal(count('PUT /me/password'), sent + 1, 'a wrong password counts as one attempt')
    t.match(await errorOf(client.changePassword(password, 'short')), { kind: 'refused', fields: [{ field: 'new_password' }] })

    await client.changePassword(password, 'a new password')
    t.match(await client.me(), user, 'the session continues')
    t.equal(await kindOf(other.client.get('/history')), 'session-ended')
    await app.data.sessions.endAll(user.id)
    t.equal(await kindOf(client.changePassword('a new password', 'another password')), 'session-ended')
  })
})

t.test('the account', async t => {
  t.test('the account of a user is exported and erased', async t => {
    const { app, baseUrl } = await serve(t)
    const store = createStore()
    const { client, count } = clientOf(t, baseUrl, { store })
    t.equal(await kindOf(client.exportMe()), 'signed-out')
    t.equal(await kindOf(client.eraseMe(password)), 'signed-out')
    const user = await newViewer(app, client)
    await client.report({ content_id: 1, time: 60, percentage: 10 })
    t.match(await client.exportMe(), { users: [user], history: [{ content_id: 1, time: 60 }], watchlist: [], hidden: [] })

    const sent = count('DELETE /me')
    t.match(await errorOf(client.eraseMe('wrong')), { kind: 'wrong-credentials', status: 401 })
    t.equal(count('DELETE /me'), sent + 1, 'a wrong password counts as one attempt')
    t.match(await client.user(), user)

    const unsent = { kind: 'report', content_id: 2, time: 1, percentage: 1, observed: 1 } as const
    await store.save('unsent', [
      { ...unsent, user_id: user.id },
      { ...unsent, user_id: user.id + 1 }
    ])
    await client.sync()
    await client.eraseMe(password)
    t.equal(await store.load(`copy-${user.id}`), null)
    t.equal(await client.user(), undefined)
    t.strictSame(
      (await store.load('unsent'))?.map(({ user_id }) => user_id),
      [user.id + 1],
      'reports of another user stay'
    )
    t.equal(await app.data.users.byId(user.id), null)
    t.equal(await kindOf(client.get('/history')), 'signed-out')
  })
})

t.test('signing in by a code', async t => {
  t.test('a device signs in with a code', async t => {
    const { app, baseUrl } = await serve(t)
    const codes = databaseOf(app).collection('device_codes')
    const { email, _id: id } = await addUser(app, 'ada@example.com', 'Ada')
    const { client: phone } = clientOf(t, baseUrl)
    await phone.signIn(email, password)

    /** A device whose waits take no time. During the n-th, the n-th of `turns` happens. */
    const deviceOf = (turns: ((code: ShownCode) => Promise<unknown>)[], fetch: Fetch = globalThis.fetch) => {
      const waits: number[] = []
      let shown: ShownCode | undefined
      const wait = async (seconds: number) => {
        waits.push(seconds)
        await codes.updateMany({ asked_at: { $exists: true } }, [{ $set: { asked_at: { $subtract: ['$asked_at', seconds * 1000] } } }])
        await turns[waits.length - 1]?.(shown as ShownCode)
      }
      const signIn = createCodeSignIn(createCalls(baseUrl, createTransport(fetch, 15_000, createClock())), wait)
      const onCode = (code: ShownCode) => {
        shown = code
      }
      return { waits, signIn: (signal?: AbortSignal) => signIn({ device: 'TV', onCode, ...(signal && { signal }) }), shown: () => shown }
    }
    const nothing = async () => {}
    const approve = ({ user_code }: ShownCode) => phone.approveDevice(user_code)

    t.test('which it shows, and asks at the interval until it is approved', async t => {
      const { signIn, waits, shown } = deviceOf([nothing, nothing, approve])
      t.match(await signIn(), { access_token: String, refresh_token: String, user: { id, name: 'Ada' } })
      t.strictSame(waits, [5, 5, 5])
      const complete = `https://app.example.com/tv?user_code=${shown()?.user_code}`
      t.match(shown(), { verification_uri: 'https://app.example.com/tv', verification_uri_complete: complete, expires_in: 600 })
      t.notOk('device_code' in (shown() ?? {}), 'the device code is not shown')
    })

    t.test('more slowly where the service says so', async t => {
      const isEarly = () => codes.updateMany({}, [{ $set: { asked_at: '$$NOW' } }])
      const { signIn, waits } = deviceOf([nothing, isEarly, nothing, isEarly, approve])
      await signIn()
      t.strictSame(waits, [5, 5, 10, 10, 15])
    })

    t.test('unless it is denied', async t => {
      const { signIn, waits } = deviceOf([nothing, ({ user_code }) => phone.denyDevice(user_code)])
      t.match(await errorOf(signIn()), { kind: 'code-denied', advice: /./, cause: { reason: 'access_denied' } })
      t.equal(waits.length, 2)
    })

    t.test('until it expires', async t => {
      const { signIn, waits } = deviceOf([nothing, () => codes.updateMany({}, { $set: { expires_at: new Date(0) } })])
      t.match(await errorOf(signIn()), { kind: 'code-expired', advice: /new code/ })
      t.equal(waits.length, 2)
    })

    t.test('less and less often without an answer, and until it expires by its own clock', async t => {
      let answers: (Response | undefined)[] = []
      const away: Fetch = async request => {
        if (!request.url.endsWith('/token') || answers.length === 0) return fetch(request)
        const answer = answers.shift()
        if (!answer) throw new TypeError('no connection')
        return answer
      }
      answers = [
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
        new Response(null, { status: 503, headers: { 'retry-after': '7' } })
      ]
      const { signIn, waits } = deviceOf([...Array.from({ length: 6 }, () => nothing), nothing, approve], away)
      t.match(await signIn(), { user: { id } })
      t.strictSame(waits, [5, 10, 20, 40, 60, 60, 7, 5])

      const short: Fetch = async request => {
        const response = await away(request)
        return request.url.endsWith('/token')
          ? response
          : new Response((await response.text()).replace('"expires_in":600', '"expires_in":0'))
      }
      answers = [undefined]
      t.equal(await kindOf(deviceOf([], short).signIn()), 'code-expired')
    })

    t.test('or not at all where the service refuses', async t => {
      const strange: Fetch = async request =>
        request.url.endsWith('/token') ? new Response('{"success":false,"code":400}', { status: 400 }) : fetch(request)
      t.match(await errorOf(deviceOf([], strange).signIn()), { kind: 'refused', status: 400 })
    })

    t.test('by the client, which then has a session', async t => {
      const store = createStore()
      const atOnce: Fetch = async request => {
        const response = await fetch(request)
        return request.url.endsWith('/login/device')
          ? new Response((await response.text()).replace('"interval":5', '"interval":0'))
          : response
      }
      const { client: tv } = clientOf(t, baseUrl, { store, fetch: atOnce })
      const approved = async ({ user_code }: ShownCode) => {
        t.match(await phone.deviceRequest(user_code.toLowerCase()), { device: null, created_at: String })
        await phone.approveDevice(user_code)
        t.equal(await kindOf(phone.deviceRequest(user_code)), 'refused', 'the code is already decided')
      }
      t.match(await tv.signInWithCode({ onCode: approved }), { id, name: 'Ada' })
      t.equal((await tv.get('/history')).meta.total_count, 0)
      t.match(await store.load('session'), { user: { id } })
    })

    t.test('until the app aborts it', async t => {
      const { client: tv, count } = clientOf(t, baseUrl)
      const reason = new Error('The user has left the screen')
      const leaving = new AbortController()
      const signingIn = tv.signInWithCode({ onCode: () => setImmediate(() => leaving.abort(reason)) as never, signal: leaving.signal })
      await t.rejects(signingIn, reason)
      t.equal(count('POST /login/device/token'), 0)

      const asking = new AbortController()
      const enough: Fetch = request => {
        if (request.url.endsWith('/token')) asking.abort(reason)
        return fetch(request)
      }
      const { signal } = asking
      await t.rejects(deviceOf([nothing], enough).signIn(signal), reason, 'aborting works while the device asks')
      await t.rejects(tv.signInWithCode({ onCode: () => void t.fail('no code is shown'), signal: AbortSignal.abort(reason) }), reason)
      await t.rejects(tv.signInWithCode({ onCode: () => Promise.reject(reason) }), reason, 'an error of onCode ends the sign-in')
    })
  })

  t.test('a pause ends before it begins if the signal has aborted', async t => {
    const reason = new Error('enough')
    await t.rejects(pause(60, AbortSignal.abort(reason)), reason)
    t.equal(await pause(0, new AbortController().signal), undefined, 'otherwise the pause ends after its time')
  })
})
