import t from 'tap'
import type { HistoryDocument } from '../../src/data/history.js'
import { collectionOf } from '../helpers/answers.js'
import { buildWith } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { film } from '../helpers/documents.js'
import { type Viewer, viewerOf, watch } from '../helpers/viewer.js'

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
