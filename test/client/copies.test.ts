import t, { type Test } from 'tap'
import type { Client, Copy } from '../../client/index.js'
import { password } from '../helpers/app.js'
import { tick, until } from '../helpers/until.js'
import { change, clientOf, createStore, errorOf, kindOf, newViewer, serve, signedIn } from './helper.js'

/** One service for all tests that do not stop it. */
const { app, baseUrl } = await serve(t)

/** The lists as the service has them. */
const listsOf = async (client: Client) => {
  const bare = ({ content: _, ...element }: { content: object }) => element
  return {
    history: (await client.get('/history')).collection.map(bare),
    watchlist: (await client.get('/watchlist')).collection.map(bare),
    hidden: (await client.get('/hidden')).collection.map(bare),
    ratings: (await client.ratings()).collection.map(bare),
    // There is no list of them. What changed last is the first of the copy.
    preferences: (await client.exportMe()).preferences
      .map(({ user_id: _, ...preferences }) => preferences)
      .sort((one, other) => (one.updated_at < other.updated_at ? 1 : -1))
  }
}
const assertEqualCopy = async (t: Test, client: Client, copy: Copy | undefined) => {
  const { cursor, isComplete, ...lists } = copy ?? {}
  t.strictSame(lists, await listsOf(client))
  t.equal(isComplete, true)
  t.ok(cursor)
}
const fill = async (client: Client) => {
  for (const content_id of [1, 2, 3]) {
    await client.post('/history', { body: { content_id, time: content_id } })
    await client.post('/watchlist', { body: { content_id } })
  }
  await client.hide(3)
  await client.rate(1, 'like')
  await client.rate(2, 'dislike')
  await client.changePreferences({ audio: 'de' })
  await tick()
  await client.changePreferences({ subtitles: 'off' }, 2)
}

/** Allows only a few changes in an answer, and does something between two of them. */
const inPagesOf =
  (perPage: number, between = async () => {}) =>
  async (request: Request, init?: RequestInit) => {
    if (!request.url.includes('/changes')) return fetch(request, init)
    await between()
    return fetch(new Request(request.url.replace('perPage=500', `perPage=${perPage}`), request), init)
  }

t.test('the copy is what the service has', async t => {
  const store = createStore()
  const { client, count } = clientOf(t, baseUrl, { store, fetch: inPagesOf(2) })
  t.equal(await kindOf(client.sync()), 'signed-out')
  t.equal(await client.copy(), undefined)
  await client.dropCopy()
  await newViewer(app, client)
  t.equal(await client.copy(), undefined)
  await assertEqualCopy(t, client, await client.sync())

  await fill(client)
  await assertEqualCopy(t, client, await client.sync())
  t.ok(count('GET /changes') >= 4, 'it follows the pages')

  await client.delete('/history')
  await client.post('/history', { body: { content_id: 2, time: 20 } })
  const [saved] = (await client.get('/watchlist')).collection
  await client.delete('/watchlist/{elementId}', { params: { path: { elementId: String(saved?.id) } } })
  await client.unhide(3)
  await client.unrate(2)
  await client.clearPreferences()
  const copy = await client.sync()
  await assertEqualCopy(t, client, copy)
  t.match(copy, { history: [{ content_id: 2 }], hidden: [], ratings: [{ content_id: 1 }], preferences: [{ content_id: 2 }] })
  t.strictSame(await client.copy(), copy)

  await client.dropCopy()
  t.equal(await client.copy(), undefined)
  await assertEqualCopy(t, client, await client.sync())
})

t.test('reports that were kept while offline are sent first', async t => {
  const { app, baseUrl, again } = await serve(t)
  const { client } = clientOf(t, baseUrl)
  await newViewer(app, client)
  await fill(client)
  const copy = await client.sync()
  await app.close()
  await client.report({ content_id: 1, time: 99 })
  t.equal(await kindOf(client.sync()), 'no-answer')
  t.strictSame(await client.copy(), copy, 'the copy is available offline')
  await again()
  t.match((await client.sync()).history[0], { content_id: 1, time: 99 })
})

t.test('a reset drops what was there', async t => {
  const { store, user } = await signedIn(t, app, baseUrl)
  const { client } = clientOf(t, baseUrl, { store, fetch: inPagesOf(2) })
  await fill(client)
  const { history, ...copy } = await client.sync()
  const gone = history.map(element => ({ ...element, content_id: element.content_id + 100 }))
  await store.save(`copy-${user.id}`, { ...copy, history: gone, cursor: 'of another time' })
  await assertEqualCopy(t, client, await client.sync())
})

t.test('an interrupted one goes on where it was', async t => {
  const { store } = await signedIn(t, app, baseUrl)
  let asked = 0
  const breaking = inPagesOf(2, async () => {
    asked++
    if (asked === 3) throw new TypeError('fetch failed')
  })
  const { client } = clientOf(t, baseUrl, { store, fetch: breaking })
  await fill(client)
  t.match(await errorOf(client.sync()), { kind: 'no-answer' })
  const copy = await client.copy()
  t.equal(copy?.isComplete, false)
  const { cursor: _, isComplete: __, ...lists } = copy as Copy
  t.equal(Object.values(lists).flat().length, 4)

  const next = clientOf(t, baseUrl, { store })
  await assertEqualCopy(t, next.client, await next.client.sync())
  t.equal(next.count('GET /changes'), 2, 'the remaining pages, then what changed in the meantime')
})

t.test('a store that fails keeps the copy with its cursor', async t => {
  const { store } = await signedIn(t, app, baseUrl)
  const { client } = clientOf(t, baseUrl, { store, fetch: inPagesOf(2) })
  await fill(client)
  const { save } = store
  const full = new Error('the store is full')
  let saved = 0
  store.save = async (name, value) => {
    if (name.startsWith('copy-') && ++saved === 2) throw full
    await save(name, value)
  }
  await t.rejects(client.sync(), full)
  t.equal((await client.copy())?.isComplete, false)
  await assertEqualCopy(t, client, await client.sync())
})

t.test('several at once are one after the other', async t => {
  const { store } = await signedIn(t, app, baseUrl)
  const { client } = clientOf(t, baseUrl, { store, fetch: inPagesOf(3) })
  await fill(client)
  const writing = fill(client)
  const copies = await Promise.all(Array.from({ length: 5 }, () => client.sync()))
  t.ok(copies.every(({ isComplete }) => isComplete))
  await writing
  await assertEqualCopy(t, client, await client.sync())
})

t.test('each user has a copy, and no other sees it', async t => {
  const { store, user } = await signedIn(t, app, baseUrl)
  let open = () => {}
  let gate = Promise.resolve()
  const { client, count } = clientOf(t, baseUrl, { store, fetch: inPagesOf(2, () => gate) })
  await fill(client)
  gate = new Promise(resolve => {
    open = resolve
  })
  const interrupted = errorOf(client.sync())
  await until(() => count('GET /changes') === 1)
  await client.signOut()
  t.equal(await client.copy(), undefined)
  const other = await newViewer(app, client)
  open()
  t.match(await interrupted, { kind: 'signed-out' }, 'nothing is requested in the name of the other user')
  t.equal(await client.copy(), undefined)
  await assertEqualCopy(t, client, await client.sync())
  t.strictSame((await store.load(`copy-${other.id}`))?.history, [])

  await client.signIn(user.email, password)
  const copy = await client.sync()
  await assertEqualCopy(t, client, copy)
  t.equal(copy.history.length, 3)
})

t.test('a session that has ended leaves the copy', async t => {
  const { store, user } = await signedIn(t, app, baseUrl)
  const { client } = clientOf(t, baseUrl, { store })
  await fill(client)
  const copy = await client.sync()
  await app.data.sessions.endAll(user.id)
  await change(store, { access_token: 'a.b.c' })
  const { client: next } = clientOf(t, baseUrl, { store })
  t.equal(await kindOf(next.sync()), 'session-ended')
  t.strictSame(await next.copy(), copy)
})
