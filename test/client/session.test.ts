import t, { type Test } from 'tap'
import type { Session, ViewerError } from '../../client/index.js'
import { until } from '../helpers/until.js'
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
      fetch: async (request, init) => (request.url.endsWith('/login/refresh') ? new Response(null, { status: 503 }) : fetch(request, init))
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

  let open = () => {}
  const gate = new Promise<void>(resolve => {
    open = resolve
  })
  const { client, count } = clientOf(t, baseUrl, {
    store,
    fetch: async request => {
      if (request.url.endsWith('/login/refresh')) await gate
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
