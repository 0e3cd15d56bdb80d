import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Client, ClientOptions, Session, Store } from '../../client/index.js'
import { addUser, password } from '../helpers/app.js'
import { databaseOf, seededUrl } from '../helpers/database.js'
import { film } from '../helpers/documents.js'
import { until } from '../helpers/until.js'
import {
  asBrowser,
  change,
  clientOf,
  createLocks,
  createStore,
  errorOf,
  gateTo,
  kept,
  kindOf,
  quickInterval,
  serve,
  slowTo,
  withQuickHeartbeats
} from './helper.js'

const url = await seededUrl(t, { contents: [film(1, { min_age: 0 }), film(2, { min_age: 6 }), film(3, { min_age: 16 })] })
/** One service for all tests that do not stop it. */
const { app, baseUrl } = await serve(t, { url })

/** Ada, who has signed in, Mia, a child, and Tom, who has a PIN. */
const household = async (t: Test, options: Partial<ClientOptions> = {}, address = baseUrl) => {
  const store = options.store ?? createStore()
  const { _id: ada, email } = await addUser(app, undefined, 'Ada')
  const recorded = clientOf(t, address, { ...options, store })
  const { client } = recorded
  await client.signIn(email, password)
  const mia = await client.addProfile({ name: 'Mia', max_age: 6 })
  const tom = await client.addProfile({ name: 'Tom', pin: '4071' })
  return { ...recorded, ada, mia, tom, email, store, sessions: () => app.data.sessions.list(ada) }
}
/** What the service has of the history of a profile. */
const positionsOf = async (user_id: number) => {
  const elements = await databaseOf(app).collection('history').find({ user_id }).sort({ content_id: 1 }).toArray()
  return elements.map(({ content_id, time }) => [content_id, time])
}
const nameOf = async (client: Client) => (await client.user())?.name

t.test('profiles are listed, added, changed and removed', async t => {
  const { client, ada, mia, tom, store } = await household(t)
  const all = [
    { id: ada, name: 'Ada', max_age: null, has_pin: false, first: true },
    { id: mia, name: 'Mia', max_age: 6, has_pin: false, first: false },
    { id: tom, name: 'Tom', max_age: null, has_pin: true, first: false }
  ]
  t.strictSame(await client.profiles(), all)
  t.match(await client.changeProfile(mia, { name: 'Mia Marie', max_age: 12 }), { code: 200 })
  t.match(await client.profiles(), [{}, { name: 'Mia Marie', max_age: 12 }, {}])
  t.match(await errorOf(client.addProfile({ name: ' ' })), { kind: 'refused', fields: [{ field: 'name' }] })
  t.match(await errorOf(client.changeProfile(tom, { pin: 'abcd' })), { kind: 'refused', fields: [{ field: 'pin' }] })
  t.match(await errorOf(client.removeProfile(ada)), { kind: 'refused', status: 400 })

  await client.useProfile(mia)
  await client.sync()
  await client.useProfile(ada, { password })
  await store.save('unsent', [kept(mia, 1), kept(tom, 1)])
  await store.save('refused', [{ ...kept(mia, 2), message: 'No' }])
  await client.removeProfile(mia)
  t.match(await client.profiles(), [{ name: 'Ada' }, { name: 'Tom' }])
  t.strictSame([await store.load(`copy-${mia}`), await store.load('refused')], [null, []])
  t.match(await store.load('unsent'), [{ user_id: tom }], 'reports of other profiles stay')
  t.equal(await nameOf(client), 'Ada')

  await client.useProfile(tom, { pin: '4071' })
  await client.removeProfile(tom)
  t.equal(await client.user(), undefined, 'a removed profile is not signed in')
  t.equal(await kindOf(client.profiles()), 'signed-out')
})

t.test('each profile has a history and a copy of its own', async t => {
  const { client, ada, mia, tom, store } = await household(t)
  const watched = async (content_id: number) => {
    t.match(await client.report({ content_id, time: content_id }), { state: 'sent' })
    return (await client.sync()).history.map(({ content_id }) => content_id)
  }
  t.strictSame(await watched(3), [3])
  t.match(await client.useProfile(mia), { id: mia, name: 'Mia', account_id: ada })
  t.match(await client.user(), { id: mia, name: 'Mia', account_id: ada })
  t.equal(await client.copy(), undefined)
  t.strictSame(await watched(2), [2])
  t.match(await client.report({ content_id: 3, time: 1 }), { state: 'refused' }, 'a content above the limit')
  await client.useProfile(tom, { pin: '4071' })
  t.strictSame(await client.refused(), [])
  t.strictSame(await watched(1), [1])
  await client.useProfile(mia)
  t.match(await client.copy(), { history: [{ content_id: 2 }] })
  t.match(await client.refused(), [{ content_id: 3 }])

  const { client: later } = clientOf(t, baseUrl, { store })
  t.equal(await nameOf(later), 'Mia', 'the device remembers the profile')
  t.match(await later.me(), { id: mia })
})

t.test('a household that switches back and forth has one session on a device', async t => {
  const { client, mia, tom, ada, sessions, email } = await household(t)
  const { client: elsewhere } = clientOf(t, baseUrl)
  await elsewhere.signIn(email, password, { device: 'Phone' })
  for (let n = 0; n < 4; n++) {
    await client.useProfile(mia)
    await client.useProfile(tom, { pin: '4071' })
    await client.useProfile(ada)
  }
  t.strictSame(
    (await sessions()).map(({ device }) => device),
    [null, 'Phone']
  )
  t.equal(await nameOf(client), 'Ada')
  await elsewhere.get('/history')
})

t.test('a session that was left opens nothing', async t => {
  const { client, store, mia, ada } = await household(t)
  const before = await store.load('session')
  await client.useProfile(mia)
  t.notMatch(JSON.stringify(await store.load('session')), before?.refresh_token)
  const { client: child } = clientOf(t, baseUrl, { store: createStore({ session: before as never }) })
  t.equal(await kindOf(child.profiles()), 'session-ended')
  t.match(await errorOf(client.changeProfile(mia, { max_age: null })), { kind: 'refused', status: 403 })
  t.equal(await kindOf(client.useProfile(ada)), 'wrong-credentials')
})

t.test('a PIN or password that is missing or wrong changes nothing', async t => {
  const { client, count, sessions, mia, tom, ada } = await household(t)
  const other = await household(t)
  const attempts = () => count(`POST /profiles/${tom}/token`)
  t.match(await errorOf(client.useProfile(tom)), { kind: 'wrong-credentials', status: 401, message: /PIN/, advice: /again/ })
  t.equal(await kindOf(client.useProfile(tom, { pin: '0000' })), 'wrong-credentials')
  t.equal(attempts(), 2, 'each request counts as one attempt')
  t.match(await errorOf(client.useProfile(other.mia)), { kind: 'refused', status: 403 })
  t.equal(await nameOf(client), 'Ada')

  await client.useProfile(mia)
  for (const given of [{}, { password: 'wrong' }, { pin: '4071' }])
    t.equal(await kindOf(client.useProfile(ada, given)), 'wrong-credentials')
  t.equal(await nameOf(client), 'Mia')
  t.equal((await sessions()).length, 1)
  t.match(await client.useProfile(ada, { password }), { id: ada })
})

t.test('reports stay with the profile that made them', async t => {
  t.test('and are sent before another one watches', async t => {
    let isBusy = true
    const busy = async (request: Request, init?: RequestInit) =>
      isBusy && request.url.includes('/history') ? new Response(null, { status: 502 }) : fetch(request, init)
    const { client, store, ada, mia } = await household(t, { fetch: busy })
    t.match(await client.report({ content_id: 3, time: 30 }), { state: 'kept' })
    isBusy = false
    await client.useProfile(mia)
    t.strictSame(await positionsOf(ada), [[3, 30]])
    t.strictSame(await positionsOf(mia), [])
    t.strictSame(await store.load('unsent'), [])
  })

  t.test('or when it watches again, back and forth', async t => {
    let isBusy = true
    const busy = async (request: Request, init?: RequestInit) =>
      isBusy && request.url.includes('/history') ? new Response(null, { status: 502 }) : fetch(request, init)
    const { client, ada, mia, tom } = await household(t, { fetch: busy })
    const ids = { ada, mia, tom }
    const given = { ada: { password }, mia: {}, tom: { pin: '4071' } }
    const turns = ['ada', 'mia', 'tom', 'mia', 'ada'] as const
    for (const [n, who] of turns.entries()) {
      await client.useProfile(ids[who], given[who])
      t.match(await client.report({ content_id: 1 + (n % 2), time: n }), { state: 'kept' })
    }
    t.equal(await client.unsent(), 2, 'the first and the newest report are kept')
    isBusy = false
    for (const who of ['mia', 'tom', 'ada'] as const) {
      await client.useProfile(ids[who], given[who])
      await until(async () => (await client.unsent()) === 0)
    }
    t.strictSame(await positionsOf(ada), [[1, 4]])
    t.strictSame(await positionsOf(mia), [[2, 3]])
    t.strictSame(await positionsOf(tom), [[1, 2]])
  })

  t.test('also where there is no connection at the switch', async t => {
    const { app, baseUrl, again } = await serve(t, { url })
    const { client, sessions, ada, mia } = await household(t, {}, baseUrl)
    await app.close()
    t.match(await client.report({ content_id: 2, time: 20 }), { state: 'kept' })
    t.equal(await kindOf(client.useProfile(mia)), 'no-answer')
    t.equal(await nameOf(client), 'Ada', 'Ada stays signed in')
    t.match(await client.report({ content_id: 1, time: 10 }), { state: 'kept' })
    await again()
    await client.useProfile(mia)
    t.strictSame(await positionsOf(ada), [
      [1, 10],
      [2, 20]
    ])
    t.strictSame(await positionsOf(mia), [])
    t.equal((await sessions()).length, 1)
  })

  t.test('and displace none of another', async t => {
    const { app, baseUrl } = await serve(t, { url })
    const { client, store, ada, mia } = await household(t, {}, baseUrl)
    await app.close()
    await store.save('unsent', [kept(mia, 1), ...Array.from({ length: 1000 }, (_, n) => kept(ada, n + 1))])
    await client.report({ content_id: 1001, time: 1 })
    const reports = (await store.load('unsent')) ?? []
    t.equal(reports.length, 1001)
    t.match(reports.slice(0, 2), [{ user_id: mia }, { user_id: ada, content_id: 2 }])
  })
})

t.test('a call that is under way at the switch is not repeated as somebody else', async t => {
  const { open, gated } = gateTo('/watchlist')
  const { client, count, mia } = await household(t, { fetch: gated })
  const saving = errorOf(client.post('/watchlist', { body: { content_id: 1 } }))
  await until(() => count('POST /watchlist') === 1)
  await client.useProfile(mia)
  open()
  t.match(await saving, { kind: 'signed-out', status: 401 })
  t.equal(count('POST /watchlist'), 1)
  t.equal((await client.get('/watchlist')).meta.total_count, 0)
})

t.test('a player stops with its profile', async t => {
  const { baseUrl } = await serve(t, { url, settings: { MAX_STREAMS: '1' } })
  const { client, count, mia, email } = await household(t, {}, baseUrl)
  const { client: elsewhere } = clientOf(t, baseUrl)
  await elsewhere.signIn(email, password)
  const playing = await client.play(3)
  t.equal(await kindOf(elsewhere.play(1)), 'too-many-streams')
  await client.useProfile(mia)
  await playing.stop()
  t.equal(count('DELETE /playing'), 0, 'nothing is sent in the name of the next profile')
  await elsewhere.play(1)
})

t.test('heartbeats stop before the next profile could send them', async t => {
  withQuickHeartbeats(t)
  const { baseUrl } = await serve(t, { url, settings: { MAX_STREAMS: '1' } })
  const { open, gated } = gateTo('/logout')
  const { client, sent, count, mia } = await household(t, { fetch: gated }, baseUrl)
  await client.play(3)
  await until(() => count('POST /playing') > 1)
  const switching = client.useProfile(mia)
  await until(() => count('POST /logout') === 1)
  await sleep(4 * quickInterval)
  open()
  await switching
  const paths = sent.map(({ path }) => path)
  t.notOk(paths.slice(paths.indexOf('POST /logout')).includes('POST /playing'))
})

t.test('a session that the store fails to save is ended', async t => {
  for (const [name, access] of [
    ['unsent', 'load'],
    ['session', 'save']
  ]) {
    const store = createStore()
    const { client, mia, sessions } = await household(t, { store })
    await client.unsent()
    const { load, save } = store
    const trouble = new Error('The disk is full')
    const fail = (given: string, now: string) => {
      if (given === name && now === access) throw trouble
    }
    Object.assign(store, {
      load: (given: 'unsent') => fail(given, 'load') ?? load(given),
      save: (given: 'unsent', value: []) => fail(given, 'save') ?? save(given, value)
    })
    t.equal(await client.useProfile(mia).catch(error => error), trouble)
    t.equal((await sessions()).length, 1, `${access} ${name}`)
    t.equal(await nameOf(client), 'Ada', 'the former profile stays signed in')
    Object.assign(store, { load, save })
    t.match(await client.useProfile(mia), { id: mia })
  }
})

t.test('a new profile without its id is an error', async t => {
  const silent = async (request: Request, init?: RequestInit) => {
    const { body, status } = await fetch(request, init)
    return new Response(body, { status, headers: { 'content-type': 'application/json' } })
  }
  const { email } = await addUser(app)
  const { client } = clientOf(t, baseUrl, { fetch: silent })
  await client.signIn(email, password)
  t.match(await errorOf(client.addProfile({ name: 'Mia' })), { kind: 'failed', message: /Location/ })
  t.match(await client.profiles(), [{ first: true }, { name: 'Mia' }])
})

t.test('a renewal and a switch do not get in the way of each other', async t => {
  for (const access of ['load', 'save'] as const) {
    const store = createStore()
    const { ada, mia, sessions } = await household(t, { store })
    const { slow, open, isReached } = slowTo(store, access)
    let isSlow = false
    const sometimes = {
      load: (name: 'session') => (isSlow ? slow : store).load(name),
      save: (name: 'session', value: Session | null) => (isSlow ? slow : store).save(name, value)
    } as Store
    const isRefused = (request: Request) => isSlow && request.url.endsWith('/history')
    const refusing = async (request: Request, init?: RequestInit) =>
      isRefused(request) ? Response.json({ success: false }, { status: 401 }) : fetch(request, init)
    const ends: unknown[] = []
    const { client } = clientOf(t, baseUrl, { store: sometimes, fetch: refusing, onSessionEnd: error => ends.push(error) })
    t.equal((await client.user())?.id, ada)

    isSlow = true
    const first = access === 'save' ? client.useProfile(mia) : kindOf(client.get('/history'))
    await until(isReached)
    const second = access === 'save' ? kindOf(client.get('/history')) : client.useProfile(mia)
    await Promise.race([second, sleep(200)])
    open()
    await Promise.all([first, second])
    t.strictSame(ends, [], `${access}: nobody is signed out`)
    t.equal(await nameOf(client), 'Mia')
    t.equal((await store.load('session'))?.user.id, mia)
    t.equal((await sessions()).length, 1)
  }
})

t.test('a sign-in or sign-out while the switch is stored prevails', async t => {
  for (const isNew of [false, true]) {
    const store = createStore()
    const { ada, mia, sessions } = await household(t, { store })
    const { slow, open, isReached } = slowTo(store, 'save')
    const { client } = clientOf(t, baseUrl, { store: slow })
    const switching = kindOf(client.useProfile(mia))
    await until(isReached)
    const other = await addUser(app)
    const acting = isNew ? client.signIn(other.email, password) : client.signOut()
    await until(async () => (await client.user())?.id !== ada)
    open()
    t.equal(await switching, 'session-ended')
    await acting
    t.equal((await client.user())?.id, isNew ? other._id : undefined)
    t.equal((await sessions()).length, isNew ? 1 : 0)
  }
})

t.test('a sign-out during a switch prevails', async t => {
  const store = createStore()
  const { mia } = await household(t, { store })
  const { open, gated } = gateTo(`/profiles/${mia}/token`)
  const { client, count } = clientOf(t, baseUrl, { store, fetch: gated })
  const switching = kindOf(client.useProfile(mia))
  await until(() => count(`POST /profiles/${mia}/token`) === 1)
  const user = await client.user()
  await client.signOut()
  open()
  t.equal(await switching, 'signed-out')
  t.equal(await client.user(), undefined)
  t.equal(await store.load('session'), null)
  t.strictSame(await app.data.sessions.list(user?.id ?? 0), [])
})

t.test('a new session is ended if the user has signed out in the meantime', async t => {
  let access_token = ''
  const late = async (request: Request, init?: RequestInit) => {
    const response = await fetch(request, init)
    if (!request.url.endsWith('/token')) return response
    access_token = ((await response.clone().json()) as { data: { access_token: string } }).data.access_token
    await client.signOut()
    return response
  }
  const { client, mia } = await household(t, { fetch: late })
  t.equal(await kindOf(client.useProfile(mia)), 'session-ended')
  const headers = { authorization: `Bearer ${access_token}` }
  t.equal((await app.inject({ url: '/history', headers })).statusCode, 401)
})

t.test('of two switches at once, the later one counts', async t => {
  const { client, sessions, mia, tom } = await household(t)
  await Promise.all([client.useProfile(tom, { pin: '4071' }), client.useProfile(mia)])
  t.equal(await nameOf(client), 'Mia')
  t.equal((await sessions()).length, 1)
})

t.test('a switch in one tab', async t => {
  t.test('ends the session of the others, which keep what they report', async t => {
    const { client, store, ada, mia } = await household(t)
    const ends: unknown[] = []
    const { client: other } = clientOf(t, baseUrl, { store, onSessionEnd: error => ends.push(error) })
    t.equal(await nameOf(other), 'Ada')
    await client.useProfile(mia)
    t.match(await other.report({ content_id: 3, time: 33 }), { state: 'kept', error: { kind: 'session-ended' } })
    t.match(ends, [{ kind: 'session-ended' }])
    t.equal(await kindOf(other.useProfile(mia)), 'session-ended')
    t.equal((await store.load('session'))?.user.id, mia)
    t.strictSame([await positionsOf(ada), await positionsOf(mia)], [[], []])
    await client.useProfile(ada, { password })
    await until(async () => (await positionsOf(ada)).length === 1)
  })

  t.test('stays, where another one is about to store a renewed session', async t => {
    asBrowser(t, { navigator: { locks: createLocks() } })
    const { client, store, mia, sessions } = await household(t)
    await change(store, { renew_at: 0 })
    const { slow, open, isReached } = slowTo(store, 'save')
    const { client: other } = clientOf(t, baseUrl, { store: slow })
    const call = other.get('/history').catch(() => undefined)
    await until(isReached)
    const switching = client.useProfile(mia)
    await Promise.race([switching, sleep(200)])
    open()
    await Promise.all([switching, call])
    t.equal((await store.load('session'))?.user.id, mia)
    t.equal((await sessions()).length, 1, 'the renewed session ends as well')
  })

  t.test('stays, where another one renews its session meanwhile', async t => {
    // Newer versions of Node.js have locks, with which the two would take turns.
    asBrowser(t, { navigator: {} })
    const { client, store, mia, sessions } = await household(t)
    const isRenewed = async () => (await sessions())[0]?.generation === 2
    const { open, gated } = gateTo('/login/refresh', { answers: true })
    await store.save('session', { ...(await store.load('session')), renew_at: 0 } as never)
    const { client: other, count } = clientOf(t, baseUrl, { store, fetch: gated })
    const call = kindOf(other.get('/history'))
    await until(async () => count('POST /login/refresh') === 1 && (await isRenewed()))
    await client.useProfile(mia)
    open()
    t.match(await call, /session-ended|signed-out/)
    t.equal((await store.load('session'))?.user.id, mia)
    t.equal((await client.get('/history')).meta.total_count, 0)
  })
})

t.test('an erased account leaves nothing of its profiles', async t => {
  const { client, store, ada, mia } = await household(t)
  await client.useProfile(mia)
  await client.sync()
  await client.useProfile(ada, { password })
  await store.save('unsent', [kept(mia, 1), kept(mia + 1000, 1)])
  await client.eraseMe(password)
  t.equal(await store.load(`copy-${mia}`), null)
  t.match(await store.load('unsent'), [{ user_id: mia + 1000 }])
  t.equal((await store.load('unsent'))?.length, 1)
  t.equal(await client.user(), undefined)
})
