import t, { type Test } from 'tap'
import type { Client, ClientOptions, Store } from '../../client/index.js'
import { password } from '../helpers/app.js'
import { seededUrl } from '../helpers/database.js'
import { content, episode, film } from '../helpers/documents.js'
import { providerSettings, providerToken } from '../helpers/provider.js'
import { change, clientOf, createStore, errorOf, gateTo, kindOf, newViewer, serve } from './helper.js'

const url = await seededUrl(t, {
  contents: [
    film(1, { duration: 1000 }),
    film(2),
    film(3),
    content(10),
    content(11, { type: 'season', parent_id: 10 }),
    episode(12, 11, { position: 1 }),
    episode(13, 11, { position: 2 })
  ]
})
/** One service for all tests. */
const { app, baseUrl } = await serve(t, { url })

/** A client whose connection can be cut. */
const travelling = (t: Test, options: Partial<ClientOptions> = {}) => {
  const network = { isAway: false }
  const travelled = clientOf(t, baseUrl, {
    store: createStore(),
    offline: true,
    ...options,
    fetch: async (request, init) => {
      init?.signal?.throwIfAborted()
      if (network.isAway) throw new TypeError('fetch failed')
      return (options.fetch ?? fetch)(request, init)
    }
  })
  return { ...travelled, network }
}
const detailsOf = (client: Client, id: number) => client.get('/contents/{contentId}', { params: { path: { contentId: String(id) } } })
const namesIn = (store: Store) => Array.from({ length: 102 }, (_, slot) => store.load(`response-${slot}`)).filter(Boolean).length

t.test('reads respond with the last response, also after a restart', async t => {
  const store = createStore()
  const { client, network } = travelling(t, { store })
  const user = await newViewer(app, client)
  await client.rate(1, 'like')
  const read = async (client: Client) => ({
    home: await client.home({ items: 3 }),
    contents: await client.get('/contents', { params: { query: { ids: [1, 2] } } }),
    ratings: await client.ratings(),
    hidden: await client.hidden(),
    profiles: await client.profiles(),
    me: await client.me(),
    preferences: await client.preferences(1),
    similar: await client.similar(1),
    schedule: await client.scheduleNow()
  })
  const fresh = await read(client)
  for (const [name, answer] of Object.entries(fresh)) t.notOk('isStale' in answer, name)

  network.isAway = true
  // After a while, the token has to be renewed as well.
  await change(store, { renew_at: Date.now() })
  const next = travelling(t, { store })
  next.network.isAway = true
  for (const stale of [await read(client), await read(next.client)]) {
    for (const [name, answer] of Object.entries(stale)) t.ok(answer.isStale, name)
    t.strictSame(JSON.parse(JSON.stringify(stale, (name, value) => (name === 'isStale' ? undefined : value))), fresh)
  }
  t.equal((await next.client.me()).id, user.id)
  t.equal(await kindOf(client.home({ items: 4 })), 'no-answer', 'something else was asked')
  t.equal(await kindOf(client.post('/watchlist', { body: { content_id: 1 } })), 'no-answer')

  network.isAway = false
  t.notOk('isStale' in (await client.ratings()))
})

t.test('only where the network is away', async t => {
  let status = 0
  const { client, network } = travelling(t, {
    fetch: async (request, init) => {
      if (status === 200) return new Response('<p>Sign in to the wireless network</p>')
      return status ? Response.json({ success: false, code: status, message: 'No' }, { status }) : fetch(request, init)
    }
  })
  t.equal(await kindOf(client.get('/history')), 'signed-out')
  await newViewer(app, client)
  await client.get('/history')
  await client.get('/health')
  for (const [refused, kind] of [
    [404, 'refused'],
    [500, 'failed'],
    [503, 'busy']
  ] as const) {
    status = refused
    t.equal(await kindOf(client.get('/history')), kind)
  }
  status = 200
  t.ok((await client.get('/history')).isStale, 'a captive portal is no answer')
  network.isAway = true
  const aborted = new Error('The viewer has left')
  await t.rejects(client.get('/history', { signal: AbortSignal.abort(aborted) }), aborted)
  t.equal(await kindOf(client.get('/health')), 'no-answer', 'whether the service is well, only itself can say')
  t.ok((await client.get('/history')).isStale)
})

t.test('nothing is kept without the option, or without a store', async t => {
  for (const options of [{ offline: false }, { store: undefined as unknown as Store }]) {
    const store = createStore()
    const { client, network } = travelling(t, { store, ...options })
    await newViewer(app, client)
    await client.get('/history')
    network.isAway = true
    t.equal(await kindOf(client.get('/history')), 'no-answer')
    t.equal(namesIn(store), 0)
  }
})

/** What is not known without the service. */
const unknown = ['isStale', '_id', 'id', 'created_at', 'updated_at', 'watched_at', 'observed_at', 'reason']
const bare = (answer: unknown) => JSON.parse(JSON.stringify(answer, (name, value) => (unknown.includes(name) ? undefined : value)))
const lists = async (client: Client) => ({
  home: (await client.home()).rows.filter(({ kind }) => kind === 'continue_watching' || kind === 'watchlist'),
  history: await client.get('/history'),
  ofOne: await client.get('/history', { params: { query: { content_id: [1] } } }),
  ofOther: await client.get('/history', { params: { query: { content_id: [3] } } }),
  cards: await client.get('/continue-watching'),
  watchlist: await client.get('/watchlist'),
  ratings: await client.ratings(),
  ofTitle: await client.preferences(1),
  general: await client.preferences()
})

t.test('what the viewer has reported, saved and rated in the meantime is applied', async t => {
  const act = async (client: Client, network: { isAway: boolean }) => {
    await client.report({ content_id: 1, time: 500 })
    await client.report({ content_id: 2, time: 300, percentage: 30 })
    await client.report({ content_id: 12, percentage: 40 })
    await client.report({ content_id: 13, time: 100, percentage: 10 })
    await client.rate(13, 'like')
    await client.rate(1, 'like')
    await client.rate(1, 'dislike')
    await client.changePreferences({ audio: 'de' }, 1)
    await client.changePreferences({ subtitles: 'off' }, 1)
    await client.changePreferences({ audio: 'fr', subtitles: 'en' })
    if (!network.isAway) for (const content_id of [2, 10]) await client.post('/watchlist', { body: { content_id } })
  }
  const actAgain = async (client: Client) => {
    await client.report({ content_id: 1, time: 10 })
    await client.report({ content_id: 2, percentage: 95 })
    await client.report({ content_id: 3 })
    await client.unrate(13)
    await client.rate(2, 'like')
    await client.rate(2, 'like')
    await client.changePreferences({ subtitles: null })
  }
  const prepare = async (t: Test) => {
    const travelled = travelling(t)
    await newViewer(app, travelled.client)
    await travelled.client.get('/contents', { params: { query: { ids: [1, 2, 3, 10, 11, 12, 13] } } })
    await lists(travelled.client)
    return travelled
  }
  const check = async (t: Test, { client, network }: ReturnType<typeof travelling>) => {
    network.isAway = true
    const stale = await lists(client)
    network.isAway = false
    await client.sendUnsent()
    t.equal(await client.unsent(), 0)
    t.strictSame(bare(stale), bare(await lists(client)), 'as the service shows it')
    return stale
  }

  t.test('before the connection was lost', async t => {
    const travelled = await prepare(t)
    await act(travelled.client, travelled.network)
    const { home } = await check(t, travelled)
    t.match(home, [
      {
        kind: 'continue_watching',
        more: '/continue-watching',
        items: [{ content: { id: 13 } }, { content: { id: 2 } }, { content: { id: 1 } }]
      },
      { kind: 'watchlist', more: '/watchlist', items: [{ content_id: 10 }, { content_id: 2 }] }
    ])
    await actAgain(travelled.client)
    const again = await check(t, travelled)
    t.match(again.ofOne.collection, [{ time: 10, previous: { time: 500 } }])
    t.match(again.history.collection, [{ content_id: 3 }, { content_id: 2, plays: 1 }, {}, {}, {}])
  })

  t.test('and since', async t => {
    const travelled = await prepare(t)
    travelled.network.isAway = true
    await act(travelled.client, travelled.network)
    await check(t, travelled)
    travelled.network.isAway = true
    await actAgain(travelled.client)
    await check(t, travelled)
  })

  t.test('also after a restart', async t => {
    const store = createStore()
    const first = travelling(t, { store })
    await newViewer(app, first.client)
    await lists(first.client)
    await detailsOf(first.client, 1)
    first.network.isAway = true
    await first.client.report({ content_id: 1, time: 500 })
    await first.client.report({ content_id: 13, time: 500 })
    first.client.close()
    const { client, network } = travelling(t, { store })
    network.isAway = true
    t.match((await client.get('/history')).collection, [{ content_id: 1, time: 500, percentage: 50 }])
    t.match((await client.home()).rows[0], { kind: 'continue_watching', items: [{ resume: { time: 500, percentage: 50 } }] })
    t.equal((await client.get('/history')).collection.length, 1, 'no kept response has the episode')
  })

  t.test('what was removed is gone', async t => {
    const travelled = await prepare(t)
    const { client } = travelled
    await act(client, travelled.network)
    const { history, watchlist } = await lists(client)
    await client.delete('/history/{watchedVideoId}', {
      params: { path: { watchedVideoId: history.collection.find(({ content_id }) => content_id === 1)?._id ?? '' } }
    })
    await client.delete('/watchlist/{elementId}', { params: { path: { elementId: String(watchlist.collection[0]?.id) } } })
    await client.delete('/ratings/{contentId}', { params: { path: { contentId: '1' } } })
    await client.hide(2)
    await client.delete('/continue-watching/{contentId}', { params: { path: { contentId: '12' } } })
    t.equal((await check(t, travelled)).history.collection.length, 3)
    await client.delete('/history')
    await client.delete('/watchlist')
    t.strictSame((await check(t, travelled)).home, [])
  })

  t.test('what is hidden or disliked is not recommended', async t => {
    const { client, network } = await prepare(t)
    const before = await client.get('/recommendations')
    t.ok([1, 2].every(id => before.some(content => content.id === id)))
    await client.hide(1)
    network.isAway = true
    await client.rate(2, 'dislike')
    const after = await client.get('/recommendations')
    t.equal(after.length, before.length - 2)
    t.notOk([1, 2].some(id => after.some(content => content.id === id)))
  })

  t.test('but not over what another device has reported later', async t => {
    const { client, network } = await prepare(t)
    network.isAway = true
    await client.report({ content_id: 1, time: 100 })
    network.isAway = false
    const other = clientOf(t, baseUrl, { store: createStore() })
    const { email } = (await client.user()) ?? {}
    await other.client.signIn(email ?? '', password)
    await other.client.report({ content_id: 1, time: 700 })
    await lists(client)
    network.isAway = true
    const { history, home } = await lists(client)
    t.match(history.collection, [{ time: 700 }])
    t.match(home[0]?.items, [{ resume: { time: 700 } }])
  })
})

t.test('a home without what was watched is kept apart, and leaves out what was finished since', async t => {
  const { client, network } = travelling(t)
  await newViewer(app, client)
  const popularIn = ({ rows }: Awaited<ReturnType<Client['home']>>) =>
    rows.flatMap(({ kind, items }) => (kind === 'popular' ? items.map(({ content }) => content.id) : []))
  const read = async () => ({
    all: popularIn(await client.home({ items: 1 })),
    left: popularIn(await client.home({ items: 1, watched: false })),
    contents: (await client.get('/contents', { params: { query: { watched: false } } })).collection.map(({ id }) => id)
  })
  const { contents, ...fresh } = await read()
  const id = fresh.all[0] as number
  t.strictSame(fresh, { all: [id], left: [id] })
  network.isAway = true
  await client.report({ content_id: id, percentage: 50 })
  t.strictSame(await read(), { ...fresh, contents })
  await client.report({ content_id: id, percentage: 95 })
  t.strictSame(await read(), { all: [id], left: [], contents: contents.filter(other => other !== id) })
})

t.test('what is kept is bounded', async t => {
  t.test('to 100 responses: the least recently used go first', async t => {
    const store = createStore()
    const { client, network } = travelling(t, { store })
    await newViewer(app, client)
    const page = (page: number) => client.ratings({ page })
    for (let n = 1; n <= 100; n++) await page(n)
    network.isAway = true
    await page(1)
    network.isAway = false
    await page(2)
    await page(101)
    await page(102)
    network.isAway = true
    for (const kept of [1, 2, 5, 101, 102]) t.ok((await page(kept)).isStale, `page ${kept}`)
    for (const dropped of [3, 4]) t.equal(await kindOf(page(dropped)), 'no-answer')
    t.equal(namesIn(store), 100, 'nothing else stays in the store')
  })

  t.test('to a million characters', async t => {
    const description = { en: 'x'.repeat(400_000) }
    const { app, baseUrl } = await serve(t, {
      url: await seededUrl(t, { contents: [film(1), ...[21, 22, 23].map(id => film(id, { description }))] })
    })
    const store = createStore()
    const { client, network } = travelling(t, { store, baseUrl })
    await newViewer(app, client)
    for (const id of [21, 22, 1, 23]) await detailsOf(client, id)
    const all = client.get('/contents', { params: { query: { ids: [21, 22, 23] } } })
    t.equal((await all).collection.length, 3, 'what is too large is not kept')
    network.isAway = true
    for (const kept of [22, 1, 23]) t.ok((await detailsOf(client, kept)).isStale, `content item ${kept}`)
    t.equal(await kindOf(detailsOf(client, 21)), 'no-answer')
    t.equal(namesIn(store), 3)
  })

  t.test('a store without room fails no read', async t => {
    const store = createStore()
    const { client } = travelling(t, { store })
    await newViewer(app, client)
    const { save } = store
    store.save = (name, value) => {
      if (name.startsWith('response') || name === 'deeds') throw new Error('The store is full')
      return save(name, value)
    }
    t.strictSame((await client.get('/history')).collection, [])
    t.match(await client.report({ content_id: 1, time: 10 }), { state: 'sent' })
    await client.post('/watchlist', { body: { content_id: 1 } })
  })
})

t.test('nothing of a viewer is shown to another', async t => {
  const read = (client: Client) => client.get('/history')

  t.test('nor of a profile, and each has its own', async t => {
    const store = createStore()
    const { client, network } = travelling(t, { store })
    const ada = await newViewer(app, client)
    const mia = await client.addProfile({ name: 'Mia' })
    await client.report({ content_id: 1, time: 10 })
    await read(client)
    await client.home()
    await client.useProfile(mia)
    network.isAway = true
    t.equal(await kindOf(read(client)), 'no-answer')
    t.equal(await kindOf(client.home()), 'no-answer')
    network.isAway = false
    await read(client)
    network.isAway = true
    await client.report({ content_id: 2, time: 10 })
    t.strictSame((await read(client)).collection, [])
    network.isAway = false
    await client.useProfile(ada.id)
    network.isAway = true
    t.match((await read(client)).collection, [{ content_id: 1 }])
    network.isAway = false
    await client.removeProfile(mia)
    t.strictSame(
      ((await store.load('responses')) ?? []).filter(({ user_id }) => user_id === mia),
      []
    )
  })

  t.test('a sign-out drops all of it, also without a connection', async t => {
    const store = createStore()
    const { client, network } = travelling(t, { store })
    const ada = await newViewer(app, client)
    await client.report({ content_id: 1, time: 10 })
    await read(client)
    network.isAway = true
    await client.signOut()
    t.equal(await kindOf(read(client)), 'no-answer')
    t.equal(namesIn(store), 0)
    t.strictSame([await store.load('responses'), await store.load('deeds')], [[], []])
    network.isAway = false
    await client.signIn(ada.email, password)
    network.isAway = true
    t.equal(await kindOf(read(client)), 'no-answer')
  })

  t.test('a response that arrives after a sign-out is not kept', async t => {
    const { open, gated } = gateTo('/history', { answers: true })
    const store = createStore()
    const { client, count } = travelling(t, { store, fetch: gated })
    await newViewer(app, client)
    const reading = read(client)
    while (count('GET /history') === 0) await new Promise(setImmediate)
    await client.signOut()
    open()
    await reading
    t.equal(namesIn(store), 0)
  })

  t.test('another tab has signed out', async t => {
    const store = createStore()
    const here = travelling(t, { store })
    await newViewer(app, here.client)
    await read(here.client)
    const there = travelling(t, { store })
    await there.client.user()
    await there.client.signOut()
    // Here, the token is valid for a moment more.
    await errorOf(read(here.client)).catch(() => undefined)
    here.network.isAway = true
    t.equal(await kindOf(read(here.client)), 'no-answer')
    t.equal(namesIn(store), 0)
  })

  t.test('another user signs in in place of the last one', async t => {
    const store = createStore()
    const { client, network } = travelling(t, { store })
    await newViewer(app, client)
    await client.report({ content_id: 1, time: 10 })
    await read(client)
    await client.home()
    await newViewer(app, client)
    network.isAway = true
    t.equal(await kindOf(read(client)), 'no-answer')
    network.isAway = false
    await read(client)
    t.equal(namesIn(store), 1, 'what was kept of another account is dropped')
    network.isAway = true
    t.strictSame((await read(client)).collection, [])
  })

  t.test('an index that was stored without its response shows nothing', async t => {
    const store = createStore()
    const { client, network } = travelling(t, { store })
    const ada = await newViewer(app, client)
    await read(client)
    const [place] = (await store.load('responses')) ?? []
    const response = await store.load(`response-${place?.slot ?? 0}`)
    await store.save(`response-${place?.slot ?? 0}`, response ? { ...response, user_id: ada.id + 1 } : null)
    network.isAway = true
    t.equal(await kindOf(read(client)), 'no-answer')
  })

  t.test('a session that has ended shows nothing', async t => {
    const { client, network } = travelling(t)
    const { id } = await newViewer(app, client)
    await read(client)
    await app.data.sessions.endAll(id)
    t.equal(await kindOf(client.sync()), 'session-ended')
    network.isAway = true
    t.equal(await kindOf(read(client)), 'no-answer')
  })

  t.test('with an identity provider, whose tokens may need a connection too', async t => {
    const { baseUrl } = await serve(t, { settings: providerSettings, url })
    const store = createStore()
    const network = { isAway: false }
    let token: string | null = await providerToken('ada')
    const clientAt = () =>
      clientOf(t, baseUrl, {
        store,
        offline: true,
        token: async () => {
          if (network.isAway) throw new TypeError('fetch failed')
          return token
        },
        fetch: async (request, init) => {
          if (network.isAway) throw new TypeError('fetch failed')
          return fetch(request, init)
        }
      }).client
    const client = clientAt()
    await client.report({ content_id: 1, time: 10 })
    await read(client)
    const mia = await client.addProfile({ name: 'Mia' })
    network.isAway = true
    t.match(await read(clientAt()), { isStale: true, collection: [{ content_id: 1 }] })
    network.isAway = false
    await client.useProfile(mia)
    network.isAway = true
    t.equal(await kindOf(read(client)), 'no-answer')
    network.isAway = false
    token = await providerToken('ben')
    await read(client)
    network.isAway = true
    t.strictSame((await read(client)).collection, [])
    network.isAway = false
    token = null
    await client.signOut()
    network.isAway = true
    t.equal(await kindOf(read(client)), 'no-answer')
    t.equal(namesIn(store), 0)
  })
})
