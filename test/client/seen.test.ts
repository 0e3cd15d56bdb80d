import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Fetch } from '../../client/calls.js'
import { addUser, password } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { providerSettings, providerToken } from '../helpers/provider.js'
import { until } from '../helpers/until.js'
import { asBrowser, clientOf, createLocks, createStore, gateTo, newViewer, serve, slowTo } from './helper.js'

const path = '/recommendations/seen'
/** Milliseconds until what was seen is sent, instead of 5 seconds. */
const delay = 50
const sendAfter = (t: Test, milliseconds: number) => {
  const { setTimeout } = globalThis
  asBrowser(t, { setTimeout: (work: () => void, wait: number) => setTimeout(work, wait === 5000 ? milliseconds : wait) })
}

/** One service for all tests. */
const { app, baseUrl } = await serve(t)
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
  await until(async () => (await app.data.sessions.list(id)).length === 0)
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
