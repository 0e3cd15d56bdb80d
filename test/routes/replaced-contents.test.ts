import t from 'tap'
import { collectionOf } from '../helpers/answers.js'
import { type App, buildWith } from '../helpers/app.js'
import { change, databaseOf } from '../helpers/database.js'
import { episode, film } from '../helpers/documents.js'
import { type Viewer, viewerOf, watch } from '../helpers/viewer.js'
import { assertDone, assertError } from './helper.js'

const settings = { COUNTRY_HEADER: 'x-country' }
const contents = [
  film(5),
  film(7, { replaces: [5, 50], duration: 1000 }),
  film(6),
  film(8, { replaces: [6] }),
  film(9, { replaces: [8] }),
  film(20),
  film(21, { replaces: [20], countries_include: ['SE'] }),
  film(1, { min_age: 6 })
]

/** Keeps the elements of viewers where they are, as if another process were busy moving them. */
const holdMoves = async (app: App) => {
  const leases = databaseOf(app).collection<{ _id: string; holder: string; expires_at: Date }>('leases')
  await leases.updateOne({ _id: 'moves' }, { $set: { holder: 'test', expires_at: new Date('2090-01-01') } }, { upsert: true })
  return () => leases.deleteOne({ _id: 'moves' })
}

const replace = async (app: App, id: number, replaces: number[] | null) => {
  await change(app, 'contents', id, { replaces })
  await app.catalogue.refresh()
}

t.test('an earlier id', async t => {
  const app = await buildWith(t, { contents }, { settings })

  t.test('leads to the content that has replaced it, in reports', async t => {
    const viewer = await viewerOf(app)
    const id = await watch(viewer, 7, { time: 100 })
    for (const earlier of [5, 50]) t.equal(await watch(viewer, earlier, { time: 200 }), id, 'the Location of its element')
    t.match((await viewer.get('/history')).json().data.collection, [{ content_id: 7, time: 200, percentage: 20, content: { id: 7 } }])
    const batch = await viewer.post('/history/batch', { reports: [{ content_id: 5, time: 300 }, { content_id: 6 }, { content_id: 404 }] })
    t.match(batch.json().data, { saved: 2, refused: [{ index: 2, code: 404 }] })
    for (const content_id of [6, 8, 9])
      t.match((await viewer.get(`/history?content_id=${content_id}`)).json().data.collection, [{ content_id: 9 }], 'the last of a chain')
    t.equal((await viewer.get('/history?content_id=50,6')).json().data.meta.total_count, 2)
    const marked = await viewer.post('/history/watched', { content_id: 5, watched: true })
    t.match(marked.json().data, { changed: 1 })
    t.match((await viewer.get('/history?content_id=7')).json().data.collection, [{ content_id: 7, time: 1000, percentage: 100, plays: 1 }])
    assertError(t, await viewer.post('/history/watched', { content_id: 404, watched: true }), 400, 404, "'The content was not found")
  })

  t.test('leads in watchlist, hidden titles, ratings, preferences, continue watching and players', async t => {
    const viewer = await viewerOf(app)
    for (const content_id of [5, 7, 50]) assertDone(t, await viewer.post('/watchlist', { content_id }), 201)
    for (const filter of ['', '?content_id=5', '?content_id=7,50'])
      t.match((await viewer.get(`/watchlist${filter}`)).json().data, { collection: [{ content_id: 7 }], meta: { total_count: 1 } })
    assertDone(t, await viewer.put('/hidden/6'), 200)
    t.match((await viewer.get('/hidden')).json().data.collection, [{ content_id: 9 }])
    assertDone(t, await viewer.remove('/hidden/8'), 200)
    assertError(t, await viewer.remove('/hidden/8'), 404, 404, 'Resource not found')
    assertDone(t, await viewer.put('/ratings/6', { rating: 'like' }), 200)
    t.match((await viewer.get('/ratings')).json().data.collection, [{ content_id: 9 }])
    assertDone(t, await viewer.remove('/ratings/8'), 200)
    assertError(t, await viewer.remove('/ratings/8'), 404, 404, 'Resource not found')
    assertDone(t, await viewer.put('/preferences/6', { audio: 'de' }), 200)
    t.match((await viewer.get('/preferences/9')).json().data, { audio: 'de' })
    assertDone(t, await viewer.remove('/preferences/8'), 200)
    assertError(t, await viewer.remove('/preferences/8'), 404, 404, 'Resource not found')
    await watch(viewer, 7, { time: 100, percentage: 10 })
    assertDone(t, await viewer.remove('/continue-watching/50'), 200)
    t.equal((await viewer.get('/continue-watching')).json().data.meta.total_count, 0)
    assertDone(t, await viewer.post('/playing', { content_id: 5 }), 200)
  })

  t.test('redirects from its path', async t => {
    const cases = [
      [5, 7],
      [50, 7],
      [6, 9],
      [8, 9]
    ]
    for (const [earlier, id] of cases) {
      const answer = await app.inject(`/contents/${earlier}`)
      const { statusCode, headers } = answer
      t.match(
        { statusCode, headers },
        { statusCode: 308, headers: { location: `/contents/${id}`, 'cache-control': 'public, no-cache', etag: undefined } }
      )
      t.match(headers.vary, /x-country/i)
      t.equal(answer.body, '')
      t.equal((await app.inject({ method: 'HEAD', url: `/contents/${earlier}` })).statusCode, 308)
    }
    t.equal((await app.inject('/contents?ids=5,6,7')).json().data.meta.total_count, 1, 'but is not listed')
    assertError(t, await app.inject('/contents/5/similar'), 404, 404, 'Resource not found')
  })

  t.test('is unknown where the content that has replaced it is closed to the caller', async t => {
    const from = (country: string) => app.inject({ url: '/contents/20', headers: { 'x-country': country } })
    t.equal((await from('SE')).headers.location, '/contents/21')
    assertError(t, await from('DE'), 404, 404, 'Resource not found')
    const viewer = await viewerOf(app, { 'x-country': 'DE' })
    assertError(t, await viewer.post('/watchlist', { content_id: 20 }), 400, 404, 'The content was not found')
    assertError(t, await viewer.post('/history', { content_id: 20 }), 400, 404, "'The content was not found")
    assertError(t, await viewer.post('/playing', { content_id: 20 }), 400, 404, 'The content was not found')
  })

  t.test('has the prefix of all paths', async t => {
    const prefixed = await buildWith(t, { contents }, { settings: { BASE_PATH: '/v1' } })
    t.equal((await prefixed.inject('/v1/contents/5')).headers.location, '/v1/contents/7')
  })
})

t.test('an id that has left the list stands for itself again', async t => {
  const app = await buildWith(t, { contents })
  const viewer = await viewerOf(app)
  const id = await watch(viewer, 5)
  await replace(app, 7, [50])
  t.equal((await app.inject('/contents/5')).json().data.id, 5)
  t.not(await watch(viewer, 5), id)
  t.equal((await viewer.get('/history')).json().data.meta.total_count, 2, 'what was moved stays moved')
})

t.test('an element that was moved counts by the lengths of its title, also after the earlier id stands for itself again', async t => {
  const app = await buildWith(t, { contents: [film(5, { duration: 100 }), film(7, { duration: 1000 })] })
  const viewer = await viewerOf(app)
  const id = await watch(viewer, 5, { time: 10 })
  await replace(app, 7, [5])
  await databaseOf(app)
    .collection('history')
    .updateOne({ user_id: viewer.id }, { $set: { content_id: 7 } })
  await replace(app, 7, null)
  assertDone(t, await viewer.put(`/history/${id}`, { time: 500 }), 200)
  t.match((await viewer.get(`/history/${id}`)).json().data, { content_id: 7, time: 500, percentage: 50 })
})

t.test('until what a viewer has is moved', async t => {
  const show = [episode(11, 10, { position: 1, duration: 100 }), episode(12, 10, { position: 2, duration: 100 })]
  const app = await buildWith(t, {
    contents: [film(5), film(7, { duration: 1000 }), film(10), ...show, episode(111, 10, { position: 3 }), film(1)]
  })
  const release = await holdMoves(app)
  const viewer = await viewerOf(app)
  const cards = async () => (await viewer.get('/continue-watching')).json().data.collection
  const rows = async () => (await viewer.get('/home')).json().data.rows as { kind: string; items: { content: { id: number } }[] }[]

  const id = await watch(viewer, 5, { time: 60, percentage: 50 })
  const viewersOfBoth: Viewer[] = []
  for (const watched of [
    [5, 7],
    [7, 5]
  ]) {
    const both = await viewerOf(app)
    for (const content_id of watched) await watch(both, content_id, { time: content_id === watched[1] ? 200 : 100 })
    viewersOfBoth.push(both)
  }
  await viewer.post('/watchlist', { content_id: 5 })
  await viewer.post('/watchlist', { content_id: 7 })
  await replace(app, 7, [5])

  t.test('a card has the newer of two elements', async t => {
    for (const both of viewersOfBoth)
      t.strictSame(
        (await both.get('/continue-watching')).json().data.collection.map(({ history }: { history: { time: number } }) => history.time),
        [200]
      )
  })

  t.test('both ids find it, and no title is shown twice', async t => {
    for (const content_id of [5, 7])
      t.match((await viewer.get(`/history?content_id=${content_id}`)).json().data.collection, [{ _id: id, content_id: 5 }])
    t.match(await cards(), [{ reason: 'resume', content: { id: 7 }, history: { _id: id, content_id: 7, time: 60 } }])
    t.equal((await cards()).length, 1)
    assertDone(t, await viewer.put(`/history/${id}`, { time: 700 }), 200)
    t.equal((await viewer.get(`/history/${id}`)).json().data.percentage, 70, 'the duration is that of the new content')

    await watch(viewer, 7, { time: 800 })
    t.match(await cards(), [{ content: { id: 7 }, history: { content_id: 7, time: 800 } }])
    t.equal((await cards()).length, 1)
    t.strictSame(
      (await viewer.get('/recommendations'))
        .json()
        .data.map((c: { id: number }) => c.id)
        .sort(),
      [1, 10]
    )
    for (const { kind, items } of await rows()) {
      const ids = items.map(({ content }) => content.id)
      t.equal(new Set(ids).size, ids.length, kind)
      t.notOk(ids.includes(5), kind)
    }
    t.strictSame(
      (await rows()).find(({ kind }) => kind === 'watchlist')?.items.map(({ content }) => content.id),
      [7]
    )
    assertDone(t, await viewer.put(`/history/${id}`, { time: 850 }), 200)
    t.match(await cards(), [{ content: { id: 7 }, history: { content_id: 7, time: 850 } }], 'whichever element is the newer one')
  })

  t.test('a title that is marked as unwatched is so under both ids', async t => {
    const other = await viewerOf(app)
    await replace(app, 7, null)
    for (const content_id of [5, 7]) await watch(other, content_id, { time: 60, percentage: 95 })
    await replace(app, 7, [5])
    t.match((await other.post('/history/watched', { content_id: 5, watched: false })).json().data, { changed: 1 })
    t.match((await other.get('/history?content_id=7')).json().data.collection, [{ plays: 0 }, { plays: 0 }])
  })

  t.test('what was completed under the earlier id is not completed again', async t => {
    const completing: [string, string, object, object | undefined][] = [
      ['marked as watched', '/history/watched', { content_id: 7, watched: true }, { changed: 0 }],
      ['reported', '/history', { content_id: 7, percentage: 97 }, undefined],
      ['reported in a batch', '/history/batch', { reports: [{ content_id: 7, percentage: 97 }] }, { saved: 1 }]
    ]
    for (const [what, url, body, data] of completing) {
      const other = await viewerOf(app)
      await replace(app, 7, null)
      const stored = await watch(other, 5, { time: 60, percentage: 95 })
      await replace(app, 7, [5])
      const answer = await other.post(url, body)
      t.match(answer.json(), { data }, what)
      t.match((await other.get('/history')).json().data.collection, [{ _id: stored, plays: 1 }], what)
    }
  })

  t.test('the newer of two elements says whether a title is watched, and is written', async t => {
    const writing: [string, object][] = [
      ['/history', { content_id: 7, percentage: 55 }],
      ['/history/batch', { reports: [{ content_id: 7, percentage: 55 }] }],
      ['/history/watched', { content_id: 7, watched: true }]
    ]
    for (const [url, body] of writing)
      for (const [first, second] of [
        [5, 7],
        [7, 5]
      ] as const) {
        const other = await viewerOf(app)
        await replace(app, 7, null)
        await watch(other, first, { time: 60, percentage: 95 })
        const newer = await watch(other, second, { time: 60, percentage: 50 })
        await replace(app, 7, [5])
        await other.post(url, body)
        const [written, others] = collectionOf(await other.get('/history'))
        t.match([written, others], [{ _id: newer }, { percentage: 95 }], `${url}, ${second} after ${first}`)
        const changed = url === '/history/watched' ? 0 : 1
        t.match((await other.post('/history/watched', { content_id: 7, watched: true })).json().data, { changed })
        t.match((await other.post('/history/watched', { content_id: 7, watched: true })).json().data, { changed: 0 })
      }
  })

  t.test('plays of both count', async t => {
    await watch(viewer, 111, { percentage: 95 })
    await watch(viewer, 11, { percentage: 95 })
    await watch(viewer, 12, { percentage: 95 })
    await watch(viewer, 11, { percentage: 1 })
    await watch(viewer, 11, { percentage: 95 })
    t.match((await cards())[0], { reason: 'next', content: { id: 12 } })
    await replace(app, 12, [111])
    t.notMatch((await cards())[0], { content: { id: 12 } }, 'it was completed twice, as an episode of two ids')
  })

  t.test('hidden and dismissed titles stay so', async t => {
    const other = await viewerOf(app)
    await replace(app, 7, null)
    await watch(other, 5, { time: 60, percentage: 50 })
    await other.remove('/continue-watching/5')
    await other.remove('/continue-watching/7')
    await other.put('/hidden/5')
    await replace(app, 7, [5])
    t.equal((await other.get('/continue-watching')).json().data.meta.total_count, 0)
    t.notOk((await other.get('/recommendations')).json().data.some((c: { id: number }) => c.id === 7))
    assertDone(t, await other.remove('/hidden/7'), 200)
    t.equal((await other.get('/hidden')).json().data.meta.total_count, 0)
    t.equal((await other.get('/continue-watching')).json().data.meta.total_count, 0)
  })

  t.test('the newest rating counts, and both are removed at once', async t => {
    const other = await viewerOf(app)
    await replace(app, 7, null)
    await other.put('/ratings/7', { rating: 'like' })
    await other.put('/ratings/5', { rating: 'dislike' })
    await replace(app, 7, [5])
    t.notOk((await other.get('/recommendations')).json().data.some((c: { id: number }) => c.id === 7))
    assertDone(t, await other.remove('/ratings/7'), 200)
    t.equal((await other.get('/ratings')).json().data.meta.total_count, 0)
    t.ok((await other.get('/recommendations')).json().data.some((c: { id: number }) => c.id === 7))
  })

  t.test('preferences of both count, and are cleared at once', async t => {
    const other = await viewerOf(app)
    await replace(app, 7, null)
    await other.put('/preferences/5', { audio: 'de', subtitles: 'off' })
    await other.put('/preferences/7', { audio: 'en' })
    await replace(app, 7, [5])
    const preferences = async () => (await other.get('/preferences/5')).json().data
    t.strictSame(await preferences(), { audio: 'en', subtitles: 'off' })
    await other.put('/preferences/7', { audio: 'sv', subtitles: null })
    t.strictSame(await preferences(), { audio: 'sv', subtitles: null })
    await other.put('/preferences/7', { audio: null })
    t.strictSame(await preferences(), { audio: null, subtitles: null })
    assertError(t, await other.remove('/preferences/7'), 404, 404, 'Resource not found')
    await replace(app, 7, null)
    for (const content_id of [5, 7]) await other.put(`/preferences/${content_id}`, { audio: 'de' })
    await replace(app, 7, [5])
    assertDone(t, await other.remove('/preferences/5'), 200)
    t.strictSame(await preferences(), { audio: null, subtitles: null })
  })

  t.test('a late report does not bring back what was removed under the earlier id', async t => {
    const other = await viewerOf(app)
    await replace(app, 7, null)
    const before = new Date().toISOString()
    await other.remove(`/history/${await watch(other, 5, { time: 60 })}`)
    await replace(app, 7, [5])
    for (const url of ['/history', '/history/batch']) {
      const report = { content_id: 5, time: 70, observed_at: before }
      await other.post(url, url === '/history' ? report : { reports: [report] })
      t.equal((await other.get('/history')).json().data.meta.total_count, 0)
    }
    await watch(other, 5, { time: 80, observed_at: new Date().toISOString() })
    t.match((await other.get('/history')).json().data.collection, [{ content_id: 7, time: 80 }])
  })
  await release()
})
