import t from 'tap'
import { importFiles } from '../../src/import/index.js'
import { removerOf, tellerOf } from '../../src/sync/index.js'
import { watchedContents } from '../../src/viewing/history.js'
import { collectionOf } from '../helpers/answers.js'
import { buildWith, signIn } from '../helpers/app.js'
import { change, databaseOf } from '../helpers/database.js'
import { film } from '../helpers/documents.js'
import { until } from '../helpers/until.js'
import { type Viewer, viewerOf, watch } from '../helpers/viewer.js'
import { badQueries, wantToken } from './helper.js'

const day = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString()
const wire = (n: number) => day(n).replace('Z', '000Z')

/** Completes a content on these days, in this order. */
const complete = async (viewer: Viewer, content_id: number, ...on: number[]) => {
  for (const n of on) {
    await watch(viewer, content_id, { percentage: 0, observed_at: new Date(Date.parse(day(n)) - 1000).toISOString() })
    await watch(viewer, content_id, { percentage: 100, observed_at: day(n) })
  }
}

const playsOf = async (viewer: Viewer, query = '') => {
  const answer = await viewer.get(`/plays${query}`)
  if (answer.statusCode !== 200) throw new Error(answer.body)
  const { collection, meta } = answer.json().data
  const plays = collection.map(({ content_id, at }: { content_id: number; at: string }) => `${content_id} ${at}`)
  return { plays, total: meta.total_count, next: meta.next_page }
}
const play = (content_id: number, n: number) => `${content_id} ${wire(n)}`

t.test('what counts as a play', async t => {
  const app = await buildWith(t, { contents: [film(1), film(2), film(3)] })

  t.test('has the moment of the report that completes', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 1, { percentage: 50, observed_at: day(1) })
    t.strictSame(await playsOf(viewer), { plays: [], total: 0, next: false })
    await watch(viewer, 1, { percentage: 95, observed_at: day(2) })
    await watch(viewer, 1, { percentage: 100, observed_at: day(3) })
    const element = collectionOf(await viewer.get('/history'))[0]
    t.match(element, { plays: 1, watched_at: wire(2) })
    t.strictSame(Object.keys(element).includes('played'), false)
    t.strictSame(await playsOf(viewer), { plays: [play(1, 2)], total: 1, next: false })
    await complete(viewer, 1, 5)
    t.strictSame((await playsOf(viewer)).plays, [play(1, 5), play(1, 2)])
  })

  t.test('or now', async t => {
    const viewer = await viewerOf(app)
    const id = await watch(viewer, 1, { percentage: 95 })
    await viewer.put(`/history/${id}`, { percentage: 1 })
    await viewer.put(`/history/${id}`, { percentage: 91 })
    const [{ plays, watched_at }] = collectionOf(await viewer.get('/history'))
    const found = collectionOf(await viewer.get('/plays'))
    t.strictSame([plays, found.length], [2, 2])
    t.equal(found[0].at, watched_at)
    t.strictSame(Object.keys(found[0]).sort(), ['at', 'content', 'content_id'])
    t.equal(found[0].content.id, 1)
  })

  t.test('once, however often and late a report comes', async t => {
    const viewer = await viewerOf(app)
    await complete(viewer, 1, 9)
    await complete(viewer, 1, 9, 8)
    const reports = [{ content_id: 1, percentage: 100, observed_at: day(9) }]
    for (let i = 0; i < 2; i++) await viewer.post('/history/batch', { reports })
    t.strictSame((await playsOf(viewer)).plays, [play(1, 9)])
  })

  t.test('two that complete at one instant are two', async t => {
    const viewer = await viewerOf(app)
    const reports = [100, 0, 100].map(percentage => ({ content_id: 1, percentage, observed_at: day(4) }))
    await viewer.post('/history/batch', { reports: [...reports, { content_id: 2, percentage: 100, observed_at: day(4) }] })
    t.strictSame(await playsOf(viewer), { plays: [play(1, 4), play(1, 4), play(2, 4)], total: 3, next: false })
  })

  t.test('a report from the future counts as now', async t => {
    const viewer = await viewerOf(app)
    const began = Date.now() - 60_000
    await watch(viewer, 1, { percentage: 100, observed_at: '2090-01-01T00:00:00Z' })
    const [{ at }] = collectionOf(await viewer.get('/plays'))
    t.ok(Date.parse(at) > began && Date.parse(at) < Date.now() + 60_000)
  })

  t.test('a mark counts, and nobody knows its moment', async t => {
    const viewer = await viewerOf(app)
    await viewer.post('/history/watched', { content_id: 1, watched: true })
    t.match(collectionOf(await viewer.get('/history')), [{ plays: 1 }])
    t.strictSame((await playsOf(viewer)).plays, [])
    await complete(viewer, 2, 3)
    await viewer.post('/history/watched', { content_id: 2, watched: false })
    t.match(collectionOf(await viewer.get('/history?content_id=2')), [{ plays: 0, watched_at: null }])
    t.strictSame((await playsOf(viewer)).plays, [play(2, 3)], 'taking back leaves the moments')
    await watch(viewer, 2, { percentage: 100 })
    t.strictSame((await playsOf(viewer, '?content_id=2')).total, 2)
  })

  t.test('goes with its element', async t => {
    const viewer = await viewerOf(app)
    for (const id of [1, 2, 3]) await complete(viewer, id, 2, 3)
    const [{ _id }] = collectionOf(await viewer.get('/history?content_id=2'))
    await viewer.remove(`/history/${_id}`)
    t.strictSame((await playsOf(viewer)).plays, [play(1, 3), play(3, 3), play(1, 2), play(3, 2)])
    await viewer.post('/history', { content_id: 2, percentage: 100, observed_at: day(4) })
    t.strictSame((await playsOf(viewer)).total, 4, 'a report from before the removal brings nothing back')
    await watch(viewer, 2, { percentage: 100 })
    t.strictSame((await playsOf(viewer)).total, 5)
    await viewer.remove('/history')
    t.strictSame(await playsOf(viewer), { plays: [], total: 0, next: false })
  })

  t.test('only the latest 366 of a content are kept', async t => {
    const viewer = await viewerOf(app)
    for (let batch = 0; batch < 4; batch++) {
      const reports = Array.from({ length: 200 }, (_, i) => ({
        content_id: 1,
        percentage: i % 2 === 0 ? 0 : 100,
        observed_at: new Date(Date.UTC(2026, 1, 1, 0, batch * 200 + i)).toISOString()
      }))
      await viewer.post('/history/batch', { reports })
    }
    t.match(collectionOf(await viewer.get('/history')), [{ plays: 400 }])
    const { total } = await playsOf(viewer)
    t.equal(total, 366)
    const last = collectionOf(await viewer.get('/plays?perPage=1&page=366'))
    t.equal(last[0].at, new Date(Date.UTC(2026, 1, 1, 0, 69)).toISOString().replace('Z', '000Z'))
  })

  t.test('belongs to one profile', async t => {
    const [one, other] = [await viewerOf(app), await viewerOf(app)]
    await complete(one, 1, 2)
    t.equal((await playsOf(other)).total, 0)
  })
})

t.test('a page', async t => {
  const contents = [film(1), film(2), film(3, { min_age: 16 }), film(4, { min_age: 6 }), film(5)]
  const app = await buildWith(t, { contents })
  const viewer = await viewerOf(app)
  await complete(viewer, 1, 2, 5, 8)
  await complete(viewer, 2, 3, 8)
  await complete(viewer, 3, 4)
  await complete(viewer, 4, 6)
  const all = [play(1, 8), play(2, 8), play(4, 6), play(1, 5), play(3, 4), play(2, 3), play(1, 2)]

  t.test('has the newest first, on every page', async t => {
    for (const perPage of [1, 2, 3, 100]) {
      const found: string[] = []
      for (let page = 1; page <= Math.ceil(7 / perPage); page++) {
        const { plays, total } = await playsOf(viewer, `?perPage=${perPage}&page=${page}`)
        t.equal(total, 7)
        found.push(...plays)
      }
      t.strictSame(found, all)
    }
    t.strictSame(await playsOf(viewer, '?page=9'), { plays: [], total: 7, next: false })
    t.equal((await playsOf(viewer, `?page=${Number.MAX_SAFE_INTEGER}`)).total, 7)
  })

  t.test('takes filters', async t => {
    const cases: [query: string, expected: string[]][] = [
      ['content_id=1', [play(1, 8), play(1, 5), play(1, 2)]],
      ['content_id=1,4', [play(1, 8), play(4, 6), play(1, 5), play(1, 2)]],
      ['content_id=0', []],
      ['content_id=404', []],
      [`from=${day(5)}`, [play(1, 8), play(2, 8), play(4, 6), play(1, 5)]],
      [`to=${day(5)}`, [play(3, 4), play(2, 3), play(1, 2)]],
      [`from=${day(3)}&to=${day(6)}`, [play(1, 5), play(3, 4), play(2, 3)]],
      [`from=${day(3)}&to=${day(3)}`, []],
      ['from=2026-01-05T01:00:00%2B01:00&to=2026-01-05T00:00:00.001Z', [play(1, 5)]],
      [`content_id=2&from=${day(4)}&to=${day(9)}`, [play(2, 8)]]
    ]
    for (const [query, expected] of cases) {
      t.strictSame(await playsOf(viewer, `?${query}`), { plays: expected, total: expected.length, next: false }, query)
      if (expected.length < 2) continue
      const first = await playsOf(viewer, `?${query}&perPage=1&page=2`)
      t.strictSame(first, { plays: expected.slice(1, 2), total: expected.length, next: expected.length > 2 && 3 }, `page 2 of ${query}`)
    }
  })

  t.test('refuses what it does not understand', async t => {
    const cases: [query: string, field: string, message: string][] = [
      [`from=${day(3)}&to=${day(2)}`, 'to', 'must not be before from'],
      ['from=yesterday', 'from', 'must be an RFC 3339 timestamp'],
      ['to=', 'to', 'must be an RFC 3339 timestamp']
    ]
    for (const [query, field, message] of cases) {
      const answer = await viewer.get(`/plays?${query}`)
      t.strictSame(answer.json(), { success: false, code: 400, message: `${field} ${message}`, errors: [{ field, message }] })
    }
    for (const [query, field] of badQueries) {
      const answer = await viewer.get(`/plays?${query}`)
      t.equal(answer.statusCode, field ? 400 : 200, query)
    }
    await wantToken(t, app, String(viewer.headers.authorization), [
      ['GET', '/plays'],
      ['GET', '/me/years/2026']
    ])
  })

  t.test('leaves out what is above the age limit', async t => {
    const young = await viewerOf(app)
    await complete(young, 1, 2)
    await complete(young, 3, 3)
    await complete(young, 4, 4, 5)
    await databaseOf(app)
      .collection<{ _id: number }>('users')
      .updateOne({ _id: young.id }, { $set: { max_age: 6 } })
    const headers = await signIn(app, { _id: young.id })
    const all = await app.inject({ url: '/plays', headers })
    const expected = [
      { content_id: 4, at: wire(5) },
      { content_id: 4, at: wire(4) }
    ]
    t.match(all.json().data, { collection: expected, meta: { total_count: 2 } })
    const ranged = await app.inject({ url: `/plays?to=${day(5)}&content_id=3,4`, headers })
    t.match(ranged.json().data, { collection: expected.slice(1), meta: { total_count: 1 } })
  })

  t.test('keeps deleted contents', async t => {
    const reader = await viewerOf(app)
    await complete(reader, 5, 1)
    await change(app, 'contents', 5, { deleted_at: new Date() })
    await app.catalogue.refresh()
    t.match((await reader.get('/plays')).json().data, { collection: [{ content_id: 5, content: { id: 5 } }], meta: { total_count: 1 } })
  })
})

t.test('a removal leaves the plays that were observed since', async t => {
  const app = await buildWith(t, { contents: [film(1), film(2)] })
  const viewer = await viewerOf(app)
  await complete(viewer, 1, 2, 4, 6)
  await complete(viewer, 2, 2)
  await watch(viewer, 2, { time: 5, observed_at: day(6) })
  const remover = removerOf(databaseOf(app), watchedContents, tellerOf())
  await remover.again(viewer.id, [1, 2], new Date(day(4)))
  t.match(collectionOf(await viewer.get('/history')), [
    { content_id: 2, plays: 0 },
    { content_id: 1, plays: 1 }
  ])
  t.strictSame(await playsOf(viewer), { plays: [play(1, 6)], total: 1, next: false })
  const left = await databaseOf(app).collection('history').findOne({ user_id: viewer.id, content_id: 2 })
  t.notOk(left && 'played' in left)
})

t.test('an export has the plays, and an import takes them', async t => {
  const app = await buildWith(t, { contents: [film(1), film(2)] })
  const viewer = await viewerOf(app)
  await complete(viewer, 1, 2, 4)
  await viewer.post('/history/watched', { content_id: 2, watched: true })
  const { history } = (await viewer.get('/me/export')).json().data
  t.match(history, [
    { content_id: 1, plays: 2, played_at: [wire(4), wire(2)] },
    { content_id: 2, plays: 1, played_at: [] }
  ])
  await databaseOf(app).collection('history').deleteMany({})
  await importFiles(databaseOf(app), { 'history.ndjson': history.map((element: object) => JSON.stringify(element)).join('\n') })
  t.strictSame((await viewer.get('/me/export')).json().data.history, history)
  t.strictSame((await playsOf(viewer)).plays, [play(1, 4), play(1, 2)])
})

t.test('the plays of a replaced content', async t => {
  const app = await buildWith(t, { contents: [film(1), film(2), film(3, { replaces: [2] })] })
  const viewer = await viewerOf(app)
  await complete(viewer, 1, 2, 4)
  await complete(viewer, 3, 3, 4, 5)
  await change(app, 'contents', 3, { replaces: [1, 2] })
  await app.catalogue.refresh()
  t.equal((await playsOf(viewer, '?content_id=1')).total, 5, 'an earlier id leads')
  await until(async () => collectionOf(await viewer.get('/history')).length === 1)
  t.match(collectionOf(await viewer.get('/history')), [{ content_id: 3, plays: 5 }])
  t.strictSame((await playsOf(viewer)).plays, [play(3, 5), play(3, 4), play(3, 4), play(3, 3), play(3, 2)])
})
