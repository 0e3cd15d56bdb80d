import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Fetch } from '../../client/calls.js'
import type { Client } from '../../client/index.js'
import { addUser, password } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { providerSettings, providerToken } from '../helpers/provider.js'
import { until } from '../helpers/until.js'
import { asBrowser, clientOf, createLocks, createStore, gateTo, kept, newViewer, serve, signedIn, slowTo } from './helper.js'

/** One service for all tests that do not stop it. */
const { app, baseUrl } = await serve(t)

const ratingsOf = async (client: Client) =>
  Object.fromEntries((await client.ratings()).collection.map(({ content_id, rating }) => [content_id, rating]))
const noPreferences = { audio: null, subtitles: null }

t.test('titles are liked and disliked', async t => {
  const { client, sent } = clientOf(t, baseUrl)
  t.match(await client.rate(1, 'like'), { state: 'refused', error: { kind: 'signed-out' } })
  await newViewer(app, client)
  t.strictSame(await client.rate(1, 'like'), { state: 'sent' })
  t.strictSame(sent.at(-1), { path: 'PUT /ratings/1', body: { rating: 'like' } })
  await client.rate(2, 'dislike')
  t.match(await client.ratings({ perPage: 1 }), { collection: [{ content_id: 2, rating: 'dislike' }], meta: { total_count: 2 } })
  t.match(await client.ratings({ page: 2, perPage: 1 }), { collection: [{ content_id: 1, rating: 'like' }] })
  t.strictSame(await client.unrate(1), { state: 'sent' })
  t.strictSame(await client.unrate(1), { state: 'sent' }, 'it is not rated, as wanted')
  t.strictSame(await ratingsOf(client), { 2: 'dislike' })
})

t.test('languages are preferred for a title and in general', async t => {
  const { client, sent } = clientOf(t, baseUrl)
  await newViewer(app, client)
  t.strictSame(await client.changePreferences({ audio: 'de', subtitles: 'en' }), { state: 'sent' })
  t.strictSame(await client.changePreferences({ subtitles: 'off' }, 1), { state: 'sent' })
  t.strictSame(sent.at(-1), { path: 'PUT /preferences/1', body: { subtitles: 'off' } })
  t.strictSame(await client.preferences(), { audio: 'de', subtitles: 'en' })
  t.strictSame(await client.preferences(1), { audio: 'de', subtitles: 'off' })
  t.match(await client.changePreferences({ audio: 'no language' }, 1), { state: 'refused', error: { status: 400 } })
  await client.clearPreferences()
  t.strictSame(await client.preferences(1), { audio: null, subtitles: 'off' })
  t.strictSame(await client.clearPreferences(1), { state: 'sent' })
  t.strictSame(await client.clearPreferences(1), { state: 'sent' }, 'there are none, as wanted')
  t.strictSame(await client.preferences(1), noPreferences)
})

t.test('what cannot be sent is kept, and the last one of a title counts', async t => {
  const { app, baseUrl, again } = await serve(t)
  const store = createStore()
  const { client } = clientOf(t, baseUrl, { store })
  const user = await newViewer(app, client)
  await client.rate(3, 'like')
  const before = await client.sync()
  await app.close()

  t.match(await client.rate(1, 'like'), { state: 'kept', error: { kind: 'no-answer' } })
  for (const [content_id, rating] of [
    [2, 'like'],
    [1, 'dislike'],
    [2, 'dislike'],
    [2, 'like']
  ] as const)
    t.match(await client.rate(content_id, rating), { state: 'kept' })
  await client.unrate(3)
  await client.changePreferences({ audio: 'de' }, 1)
  await client.changePreferences({ subtitles: 'off' })
  await client.report({ content_id: 1, time: 10 })
  // Apps in JavaScript may name what they do not change.
  await client.changePreferences({ audio: 'en', subtitles: undefined } as object, 1)
  await client.changePreferences({ subtitles: 'fr' }, 1)
  t.equal(await client.unsent(), 6)
  t.strictSame(await client.copy(), before, 'the copy is available offline')

  await again()
  const next = clientOf(t, baseUrl, { store })
  await until(async () => (await next.client.unsent()) === 0)
  t.match(
    next.sent.filter(({ path }) => path !== 'GET /health'),
    [
      { path: 'POST /history', body: { content_id: 1, time: 10 } },
      { path: 'PUT /ratings/1', body: { rating: 'dislike' } },
      { path: 'PUT /ratings/2', body: { rating: 'like' } },
      { path: 'DELETE /ratings/3' },
      { path: 'PUT /preferences', body: { subtitles: 'off' } },
      { path: 'PUT /preferences/1', body: { audio: 'en', subtitles: 'fr' } }
    ]
  )
  t.strictSame(await ratingsOf(next.client), { 1: 'dislike', 2: 'like' })
  t.strictSame(await next.client.preferences(1), { audio: 'en', subtitles: 'fr' })
  t.strictSame(await next.client.preferences(), { audio: null, subtitles: 'off' })
  t.match(await next.client.copy(), { ratings: [{ content_id: 3, rating: 'like' }], preferences: [] })
  t.match(await next.client.sync(), {
    ratings: [{ content_id: 2 }, { content_id: 1 }],
    preferences: [{ content_id: 1, audio: 'en' }, { content_id: null }]
  })
  t.equal((await store.load(`copy-${user.id}`))?.ratings.length, 2)
})

t.test('a rating that is changed while it is sent is sent again', async t => {
  const { open, gated } = gateTo('/ratings/1')
  const { client, count } = clientOf(t, baseUrl, { fetch: gated })
  await newViewer(app, client)
  const first = client.rate(1, 'like')
  await until(() => count('PUT /ratings/1') === 1)
  const second = client.rate(1, 'dislike')
  await until(async () => (await client.unsent()) === 1)
  open()
  t.match(await Promise.all([first, second]), [{ state: 'sent' }, { state: 'sent' }])
  t.strictSame(await ratingsOf(client), { 1: 'dislike' })
  t.equal(await client.unsent(), 0)
})

t.test('the service has the last word on what was kept, and only of its own user', async t => {
  const { store, user } = await signedIn(t, app, baseUrl)
  const { time: _, ...rating } = { ...kept(user.id, 99), kind: 'rating', rating: 'like' } as const
  const ofOther = { ...rating, user_id: user.id + 1000, content_id: 1 }
  await store.save('unsent', [ofOther, { ...kept(user.id, 98) }, rating, { ...rating, content_id: 2 }])
  const { client } = clientOf(t, baseUrl, { store })
  await until(async () => (await client.unsent()) === 0)
  t.strictSame(await ratingsOf(client), { 2: 'like' })
  t.match(await client.refused(), [
    { kind: 'report', content_id: 98 },
    { ...rating, code: 404, message: 'Resource not found' }
  ])
  t.strictSame(await store.load('unsent'), [ofOther])
  await client.dropRefused()
  t.strictSame(await client.refused(), [])
})

const path = '/recommendations/seen'
/** Milliseconds until what was seen is sent, instead of 5 seconds. */
const delay = 50
const sendAfter = (t: Test, milliseconds: number) => {
  const { setTimeout } = globalThis
  asBrowser(t, { setTimeout: (work: () => void, wait: number) => setTimeout(work, wait === 5000 ? milliseconds : wait) })
}

const seenBy = async (user_id: number) => (await app.data.seen.exported(user_id)).map(({ content_id }) => content_id)
const reportedBy = ({ sent }: Pick<ReturnType<typeof clientOf>, 'sent'>) =>
  sent.filter(request => request.path === `POST ${path}`).map(({ body }) => body.content_ids)

t.test('titles that are seen within seconds are sent together, and each once in half an hour', async t => {
  sendAfter(t, delay)
  const seen = clientOf(t, baseUrl)
  const { id } = await newViewer(app, seen.client)
  seen.client.reportSeen(1, 2)
  seen.client.reportSeen(2, 3)
  await until(() => reportedBy(seen).length > 0)
  seen.client.reportSeen(3, 1)
  await sleep(4 * delay)
  t.strictSame(reportedBy(seen), [[1, 2, 3]])
  await until(async () => (await seenBy(id)).length === 3)

  const { now } = Date
  t.teardown(() => {
    Date.now = now
  })
  Date.now = () => now() + 1_806_000
  seen.client.reportSeen(3, 4)
  seen.client.reportSeen(...Array.from({ length: 150 }, (_, n) => n + 10))
  await until(() => reportedBy(seen).length > 2)
  const [, first, second] = reportedBy(seen) as number[][]
  t.strictSame([first?.slice(0, 3), first?.length, second?.length], [[3, 4, 10], 100, 52], 'at most 100 in a request')
})

t.test('they are sent at once when the page is hidden, and at the end', async t => {
  sendAfter(t, 600_000)
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  asBrowser(t, { document })
  const show = (visibilityState: string) => Object.assign(document, { visibilityState }).dispatchEvent(new Event('visibilitychange'))
  const keptAlive: boolean[] = []
  const fetch: Fetch = (request, init) => {
    if (request.url.endsWith(path)) keptAlive.push(request.keepalive)
    return globalThis.fetch(request, init)
  }
  const seen = clientOf(t, baseUrl, { fetch })
  await newViewer(app, seen.client)
  show('visible')
  seen.client.reportSeen(1)
  show('hidden')
  await until(() => reportedBy(seen).length === 1)
  seen.client.reportSeen(2)
  seen.client.close()
  await until(() => reportedBy(seen).length === 2)
  t.strictSame(reportedBy(seen), [[1], [2]])
  t.strictSame(keptAlive, [true, true], 'the browser sends it even if the page is closed')
})

t.test('what cannot be sent is dropped, without a word', async t => {
  sendAfter(t, delay)
  let isAway = true
  const fetch: Fetch = async (request, init) => {
    if (isAway && request.url.endsWith(path)) throw new TypeError('fetch failed')
    return globalThis.fetch(request, init)
  }
  const store = createStore()
  const seen = clientOf(t, baseUrl, { fetch, store })
  const { id } = await newViewer(app, seen.client)
  seen.client.reportSeen(1, 2)
  await until(() => reportedBy(seen).length === 1)
  isAway = false
  await sleep(4 * delay)
  t.strictSame([reportedBy(seen).length, await seen.client.unsent(), await store.load('unsent')], [1, 0, null])
  seen.client.reportSeen(2)
  await until(async () => (await seenBy(id)).length === 1)
  t.strictSame(reportedBy(seen), [[1, 2], [2]], 'unless it is seen again')
})

t.test('a sign-out neither waits for them nor looks as if the session had ended', async t => {
  sendAfter(t, delay)
  asBrowser(t, { navigator: { locks: createLocks() } })
  const [seenGate, logoutGate] = [gateTo(path), gateTo('/logout', { answers: true })]
  const ends: unknown[] = []
  const seen = clientOf(t, baseUrl, {
    fetch: (request, init) => (request.url.endsWith(path) ? seenGate : logoutGate).gated(request, init),
    onSessionEnd: error => ends.push(error)
  })
  const { id } = await newViewer(app, seen.client)
  seen.client.reportSeen(1)
  await until(() => reportedBy(seen).length === 1)
  const leaving = seen.client.signOut()
  await until(logoutGate.isAnswered)
  seenGate.open()
  await sleep(4 * delay)
  logoutGate.open()
  await leaving
  t.strictSame([ends, await seenBy(id)], [[], []])
})

t.test('nothing is sent for nobody, or in the name of somebody else', async t => {
  sendAfter(t, delay)
  const store = createStore()
  const { slow, open, isReached } = slowTo(store, 'save')
  const logout = gateTo('/logout')
  const seen = clientOf(t, baseUrl, { store: slow, fetch: logout.gated })
  const { client } = seen
  client.reportSeen(1)
  await sleep(4 * delay)
  const { email, _id: ada } = await addUser(app)
  const signingIn = client.signIn(email ?? '', password)
  await until(isReached)
  client.reportSeen(1)
  open()
  await signingIn
  const mia = await client.addProfile({ name: 'Mia' })

  client.reportSeen(2)
  const switching = client.useProfile(mia)
  await until(() => seen.count('POST /logout') === 1)
  client.reportSeen(1)
  logout.open()
  await switching
  client.reportSeen(3)
  await until(async () => (await seenBy(mia)).length > 0)
  await sleep(4 * delay)
  t.strictSame(reportedBy(seen), [[3]])
  t.strictSame([await seenBy(ada), await seenBy(mia)], [[], [3]])
  await client.useProfile(ada)
  client.reportSeen(3)
  await until(async () => (await seenBy(ada)).length > 0)

  sendAfter(t, 600_000)
  client.reportSeen(1)
  await client.signOut()
  client.close()
  await sleep(4 * delay)
  t.equal(reportedBy(seen).length, 2)
})

t.test('with an identity provider, they are sent as the profile that saw them', async t => {
  sendAfter(t, delay)
  const { app, baseUrl } = await serve(t, { settings: providerSettings })
  const collection = databaseOf(app).collection('seen')
  const seenBy = async (user_id: number | undefined) =>
    (await collection.findOne({ user_id }))?.titles.map(({ content_id }: { content_id: number }) => content_id)
  let isAway = false
  let token = await providerToken('ada')
  const seen = clientOf(t, baseUrl, {
    token: async () => {
      if (isAway) throw new Error('The provider is away')
      return token
    }
  })
  const { client } = seen
  const ada = await client.user()
  const mia = await client.addProfile({ name: 'Mia' })
  client.reportSeen(1)
  await client.useProfile(mia)
  client.reportSeen(2)
  await until(() => reportedBy(seen).length === 1)

  const [tokenOfAda, tokenOfBen] = [token, await providerToken('ben')]
  const seeAndLeave = async () => {
    client.reportSeen(1)
    await client.user()
    token = tokenOfBen
  }
  await seeAndLeave()
  await sleep(4 * delay)
  t.equal(reportedBy(seen).length, 1, 'the user has changed')
  token = tokenOfAda
  await client.useProfile(mia)
  await seeAndLeave()
  isAway = true
  client.reportSeen(2)
  await t.rejects(client.user())
  isAway = false
  client.reportSeen(3)
  await until(() => reportedBy(seen).length === 2)
  const ben = await client.user()
  await until(async () => (await seenBy(ben?.id)) !== undefined)
  t.strictSame([await seenBy(ada?.id), await seenBy(mia), await seenBy(ben?.id)], [undefined, [2], [3]])
})
