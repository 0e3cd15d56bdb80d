import type { Document } from 'mongodb'
import t from 'tap'
import type { HistoryDocument } from '../../src/viewing/history.js'
import { assertRefused, collectionOf } from '../helpers/answers.js'
import { buildWith } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { content, episode, film } from '../helpers/documents.js'
import { until } from '../helpers/until.js'
import { type Viewer, viewerOf, watch } from '../helpers/viewer.js'
import { closed, wantToken } from './helper.js'

const contents = [film(1), film(2, { duration: 200 }), film(3, { duration: 0.5 })]

const minute = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, n))
const wire = (n: number) => minute(n).toISOString().replace('Z', '000Z')

interface Progress {
  time?: number
  percentage?: number
}

const elementOf = async (viewer: Viewer, content_id: number) => collectionOf(await viewer.get(`/history?content_id=${content_id}`))[0]

/** What players report, one a minute. */
const play = async (viewer: Viewer, content_id: number, progress: Progress[], from = 0) => {
  for (const [n, one] of progress.entries()) await watch(viewer, content_id, { ...one, observed_at: minute(from + n).toISOString() })
  const { time, percentage, plays, watched_at } = await elementOf(viewer, content_id)
  return { time, percentage, plays, watched_at }
}
const percentages = (...of: number[]): Progress[] => of.map(percentage => ({ percentage }))
const times = (...of: number[]): Progress[] => of.map(time => ({ time }))

t.test('completions', async t => {
  const app = await buildWith(t, { contents })
  const stored = databaseOf(app).collection<HistoryDocument>('history')

  const cases: [what: string, content_id: number, progress: Progress[], expected: object][] = [
    ['nothing yet', 1, percentages(0, 89.99), { plays: 0, watched_at: null }],
    ['to and fro in the credits', 1, percentages(50, 90, 80, 95, 10, 100), { plays: 1, watched_at: wire(1) }],
    ['watched again', 1, percentages(90, 9.99, 40), { percentage: 40, plays: 1, watched_at: wire(0) }],
    ['and to the end', 1, percentages(90, 9.99, 40, 90), { plays: 2, watched_at: wire(3) }],
    ['the time alone of a content without a duration', 1, times(5, 5000), { time: 5000, percentage: 0, plays: 0 }],
    ['the time alone', 2, times(30), { time: 30, percentage: 15, plays: 0 }],
    ['up to the end', 2, times(30, 180, 200), { time: 200, percentage: 100, plays: 1, watched_at: wire(1) }],
    ['beyond the end', 2, times(201, 5000), { time: 5000, percentage: 100, plays: 1, watched_at: wire(0) }],
    ['from the beginning again', 2, times(190, 19, 190), { percentage: 95, plays: 2, watched_at: wire(2) }],
    ['a time of 0', 2, times(100, 0), { time: 0, percentage: 0 }],
    ['a percentage beside the time', 2, [{ time: 190, percentage: 20 }], { time: 190, percentage: 20, plays: 0 }],
    ['a percentage alone', 2, percentages(20), { time: 0, percentage: 20 }],
    ['neither', 2, [{ time: 100 }, {}], { time: 100, percentage: 50 }],
    ['a short content', 3, times(1e308), { percentage: 100, plays: 1 }]
  ]
  for (const [what, content_id, progress, expected] of cases)
    t.test(what, async t => {
      t.match(await play(await viewerOf(app), content_id, progress), expected)
    })

  t.test('by id count as well, and every read shows them', async t => {
    const viewer = await viewerOf(app)
    const id = await watch(viewer, 2, { time: 20, observed_at: minute(0).toISOString() })
    for (const [n, time] of [180, 0, 190].entries()) await viewer.put(`/history/${id}`, { time, observed_at: minute(n + 1).toISOString() })
    const expected = { time: 190, percentage: 95, plays: 2, watched_at: wire(3) }
    for (const url of [`/history/${id}`, `/watchlist/${id}`]) t.match((await viewer.get(url)).json().data, expected, url)
    t.match(await elementOf(viewer, 2), expected)
    t.match((await viewer.get('/changes')).json().data.history, [expected])
    await watch(viewer, 2, { time: 40 })
    const [card] = collectionOf(await viewer.get('/continue-watching'))
    t.match(card, { reason: 'resume', history: { time: 40, percentage: 20, plays: 2, watched_at: wire(3) } })
  })

  t.test('status=watched has what was completed, wherever it is now', async t => {
    const viewer = await viewerOf(app)
    await play(viewer, 1, percentages(95, 3))
    await play(viewer, 2, times(100))
    await play(viewer, 3, times(1))
    const ids = async (status: string) =>
      collectionOf(await viewer.get(`/history?status=${status}`))
        .map(({ content_id }: { content_id: number }) => content_id)
        .sort()
    t.strictSame([await ids('watched'), await ids('completed'), await ids('in_progress')], [[1, 3], [3], [1, 2]])
  })

  t.test('of elements that other software wrote begin at none', async t => {
    const viewer = await viewerOf(app)
    const write = (content_id: number, percentage: number, n: number) =>
      stored.updateOne(
        { user_id: viewer.id, content_id },
        { $set: { percentage, time: 1, updated_at: minute(n) }, $setOnInsert: { created_at: minute(n) } },
        { upsert: true }
      )
    await write(1, 95, 1)
    await write(2, 50, 1)
    t.match(
      [await elementOf(viewer, 1), await elementOf(viewer, 2)],
      [
        { plays: 0, watched_at: null },
        { plays: 0, watched_at: null }
      ]
    )
    t.match(await play(viewer, 1, percentages(97), 2), { plays: 0, watched_at: null })
    await write(1, 4, 3)
    t.match(await play(viewer, 1, percentages(92), 4), { plays: 1, watched_at: wire(4) }, 'begun again there and completed here')
    await write(2, 99, 5)
    t.match(await elementOf(viewer, 2), { plays: 0, watched_at: null }, 'completed there')
    t.match(await play(viewer, 2, percentages(5, 99), 6), { plays: 1, watched_at: wire(7) }, 'and completed again here')
  })

  t.test('begin where the setting says', async t => {
    const half = await buildWith(t, { contents }, { settings: { COMPLETED_AT: '50' } })
    const viewer = await viewerOf(half)
    t.match(await play(viewer, 1, percentages(49.9, 50, 20, 60)), { plays: 1, watched_at: wire(1) })
    t.match(await play(viewer, 2, times(99)), { percentage: 49.5, plays: 0 })
    t.match(await play(viewer, 2, times(100), 1), { percentage: 50, plays: 1 })
    t.equal(collectionOf(await viewer.get('/history?status=watched')).length, 2)
  })
})

const season = (id: number, parent_id: number) => content(id, { type: 'season', parent_id })
const states = async (viewer: Viewer) =>
  Object.fromEntries(
    collectionOf(await viewer.get('/history?perPage=100'))
      .map(({ content_id, time, percentage, plays, watched_at }: Record<string, number>) => [
        content_id,
        `${time} ${percentage} ${plays} ${watched_at === null ? '' : 'watched'}`.trim()
      ])
      .toSorted()
  )

t.test('POST /history/watched', async t => {
  const contents = [
    film(1, { duration: 6000 }),
    content(10),
    season(120, 10),
    episode(41, 120, { duration: 1500 }),
    episode(42, 120),
    episode(43, 120, { deleted_at: new Date('2024-01-01') }),
    season(130, 10),
    episode(31, 130),
    episode(32, 130),
    content(33, { type: 'trailer', parent_id: 130 }),
    season(140, 10),
    ...Object.values(closed)
  ]
  const app = await buildWith(t, { contents })
  const mark = async (viewer: Viewer, body: object) => {
    const answer = await viewer.post('/history/watched', body)
    if (answer.statusCode !== 200) throw new Error(answer.body)
    return answer.json().data.changed
  }

  t.test('completes a content, a season, a show', async t => {
    const viewer = await viewerOf(app)
    t.equal(await mark(viewer, { content_id: 1, watched: true }), 1)
    t.strictSame(await states(viewer), { 1: '6000 100 1 watched' })
    t.equal(await mark(viewer, { content_id: 120, watched: true }), 2)
    t.strictSame(await states(viewer), { 1: '6000 100 1 watched', 41: '1500 100 1 watched', 42: '0 100 1 watched' })
    t.equal(await mark(viewer, { content_id: 10, watched: true }), 2, 'those that are completed do not count')
    t.strictSame(Object.keys(await states(viewer)), ['1', '31', '32', '41', '42'], 'no closed episode, no season, no trailer')
    t.equal(await mark(viewer, { content_id: 10, watched: true }), 0)
  })

  t.test('completes a show of which a part is begun, watched again, or completed', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 31, { time: 50, percentage: 95 })
    for (const percentage of [95, 3]) await watch(viewer, 32, { time: 60, percentage })
    for (const content_id of [41, 42]) await watch(viewer, content_id, { time: 77, percentage: 20 })
    t.equal(await mark(viewer, { content_id: 10, watched: true }), 3)
    t.strictSame(
      await states(viewer),
      { 31: '50 95 1 watched', 32: '60 100 2 watched', 41: '1500 100 1 watched', 42: '77 100 1 watched' },
      'without a duration, the time stays'
    )
    const other = await viewerOf(app)
    await watch(other, 42, { time: 77 })
    t.equal(await mark(other, { content_id: 10, watched: true }), 4)
    t.strictSame(await states(other), { 31: '0 100 1 watched', 32: '0 100 1 watched', 41: '1500 100 1 watched', 42: '77 100 1 watched' })
  })

  t.test('completes the episodes up to one', async t => {
    const viewer = await viewerOf(app)
    t.equal(await mark(viewer, { content_id: 31, watched: true, up_to: true }), 3)
    t.strictSame(Object.keys(await states(viewer)), ['31', '41', '42'])
    t.equal(await mark(viewer, { content_id: 32, watched: true, up_to: false }), 1, 'false means the episode alone')
  })

  t.test('counts a completion like a report', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 1, { time: 3000, percentage: 50, observed_at: '2024-05-06T07:08:09Z' })
    await watch(viewer, 1, { time: 5, observed_at: '2024-05-06T07:09:09Z' })
    t.equal(await mark(viewer, { content_id: 1, watched: true }), 1)
    const [element] = collectionOf(await viewer.get('/history'))
    t.strictSame([element.time, element.percentage, element.plays, element.previous], [6000, 100, 1, null])
    t.equal(element.watched_at, element.updated_at)
    t.equal(element.created_at, '2024-05-06T07:08:09.000000Z')
  })

  t.test('takes back what was watched, so that older reports change nothing', async t => {
    const viewer = await viewerOf(app)
    const observed_at = new Date().toISOString()
    t.equal(await mark(viewer, { content_id: 120, watched: false }), 0)
    t.strictSame(await states(viewer), {}, 'nothing is added')
    await mark(viewer, { content_id: 120, watched: true })
    await watch(viewer, 1, { time: 3000 })
    await watch(viewer, 1, { time: 5 })
    t.equal(await mark(viewer, { content_id: 10, watched: false }), 2)
    t.equal(await mark(viewer, { content_id: 10, watched: false }), 0)
    t.equal(await mark(viewer, { content_id: 1, watched: false }), 1)
    await watch(viewer, 41, { percentage: 95, observed_at })
    t.strictSame(await states(viewer), { 1: '0 0 0', 41: '0 0 0', 42: '0 0 0' })
    for (const { previous } of collectionOf(await viewer.get('/history'))) t.equal(previous, null)
    t.equal((await viewer.get('/continue-watching')).json().data.meta.total_count, 0)
    await watch(viewer, 41, { percentage: 95 })
    t.equal((await states(viewer))[41], '0 95 1 watched', 'a new viewing counts')
  })

  t.test('tells the other devices', async t => {
    const viewer = await viewerOf(app)
    const changes = async (since?: string) => (await viewer.get(`/changes${since ? `?since=${since}` : ''}`)).json().data
    await mark(viewer, { content_id: 120, watched: true })
    const { cursor } = await changes()
    await mark(viewer, { content_id: 120, watched: false })
    const { history } = await changes(cursor)
    t.strictSame(history.map(({ content_id, percentage }: Record<string, number>) => [content_id, percentage]).toSorted(), [
      [41, 0],
      [42, 0]
    ])
  })

  t.test('refuses what POST /history refuses, and what makes no sense', async t => {
    const viewer = await viewerOf(app)
    const refusal = async (body: object) => {
      const answer = await viewer.post('/history/watched', body)
      const { code, message } = answer.json()
      return [answer.statusCode, code, message]
    }
    t.strictSame(await refusal({ watched: true }), [400, 400, "'The content ID was not provided"])
    const missing = [400, 404, "'The content was not found"]
    for (const { _id } of [...Object.values(closed), { _id: 777 }, { _id: 43 }, { _id: 140 }])
      for (const watched of [true, false]) t.strictSame(await refusal({ content_id: _id, watched }), missing, `${_id} ${watched}`)
    for (const [body, field] of [
      [{ content_id: 1, watched: 'true' }, 'watched'],
      [{ content_id: 1 }, 'watched'],
      [{ content_id: '1', watched: true }, 'content_id'],
      [{ content_id: 1, watched: true, up_to: 1 }, 'up_to'],
      [{ content_id: 1, watched: true, up_to: true }, 'up_to'],
      [{ content_id: 120, watched: true, up_to: true }, 'up_to']
    ] as const)
      assertRefused(t, await viewer.post('/history/watched', body), field, JSON.stringify(body))
    await wantToken(t, app, String(viewer.headers.authorization), [['POST', '/history/watched', '{"content_id":1,"watched":true}']])
    const { statusCode, headers } = await viewer.get('/history/watched')
    t.strictSame([statusCode, headers.allow], [405, 'POST'])
  })
})

t.test('what is added is what a report at the end would have made, without its moment, and counts once', async t => {
  const app = await buildWith(t, {
    contents: [content(10), ...Array.from({ length: 300 }, (_, i) => episode(1000 + i, 10, { position: i }))]
  })
  const stored = (viewer: Viewer) =>
    databaseOf(app)
      .collection('history')
      .find({ user_id: viewer.id }, { projection: { _id: 0, user_id: 0, content_id: 0 } })
      .toArray()
  const fieldsOf = ({ created_at, updated_at, watched_at, event, ...others }: Document) => {
    t.strictSame([updated_at, watched_at], [created_at, created_at])
    return others
  }
  const reporting = await viewerOf(app)
  await watch(reporting, 1000, { time: 0, percentage: 100 })
  const [reported = {} as Document] = await stored(reporting)

  const marking = await viewerOf(app)
  const requests = Array.from({ length: 5 }, () => marking.post('/history/watched', { content_id: 10, watched: true }))
  for (const { statusCode } of await Promise.all(requests)) t.equal(statusCode, 200, 'also when others add the same elements first')
  const added = await stored(marking)
  t.equal(added.length, 300)
  const { played, played_count, ...expected } = fieldsOf(reported)
  t.strictSame([played, played_count], [{ at: [reported.watched_at] }, 1])
  for (const element of added) t.strictSame(fieldsOf(element), expected)
})

t.test('a show of many episodes is marked in one write', async t => {
  const many = (count: number, show: number) => [
    content(show),
    ...Array.from({ length: count }, (_, i) => episode(show * 10_000 + i, show, { position: i }))
  ]
  const app = await buildWith(t, { contents: [...many(2000, 1), ...many(2001, 2), ...many(500, 3), ...many(500, 4)] })
  const viewer = await viewerOf(app)
  const mark = (content_id: number, watched: boolean) => viewer.post('/history/watched', { content_id, watched })
  assertRefused(t, await mark(2, true), 'content_id', 'more than 2000')
  t.equal((await viewer.post('/history/watched', { content_id: 21_999, watched: true, up_to: true })).json().data.changed, 2000)

  await viewer.post('/history/batch', {
    reports: Array.from({ length: 100 }, (_, i) => ({ content_id: 40_000 + 5 * i, time: 30 }))
  })
  for (const show of [3, 4]) {
    const began = performance.now()
    t.equal((await mark(show, true)).json().data.changed, 500)
    t.comment(`500 episodes took ${Math.round(performance.now() - began)} ms`)
  }
  t.equal((await mark(1, true)).json().data.changed, 2000)
  t.equal((await mark(1, false)).json().data.changed, 2000)

  t.test('and a removal of the history in the meantime leaves nothing of it', async t => {
    const history = databaseOf(app).collection('history')
    for (let round = 0; round < 5; round++) {
      await viewer.remove('/history')
      const marking = mark(1, true)
      await until(async () => (await history.findOne({ user_id: viewer.id })) !== null, { every: 1 })
      await viewer.remove('/history')
      await marking
      t.equal(await history.countDocuments({ user_id: viewer.id }), 0)
    }
  })
})
