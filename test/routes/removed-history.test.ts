import t, { type Test } from 'tap'
import { type Answer, collectionOf } from '../helpers/answers.js'
import { buildWith } from '../helpers/app.js'
import { film } from '../helpers/documents.js'
import { tick } from '../helpers/until.js'
import { type Viewer, viewerOf, watch } from '../helpers/viewer.js'
import { assertDone } from './helper.js'

const films = [1, 2, 3].map(id => film(id))
const longAgo = '2024-05-06T07:08:09.123Z'

t.test('removed history stays removed', async t => {
  const app = await buildWith(t, { contents: films })
  const contentIds = async (viewer: Viewer) =>
    collectionOf(await viewer.get('/history'))
      .map(({ content_id }: { content_id: number }) => content_id)
      .sort()
  const removeOne = async (viewer: Viewer, content_id: number) => {
    const [{ _id }] = collectionOf(await viewer.get(`/history?content_id=${content_id}`))
    assertDone(t, await viewer.remove(`/history/${_id}`), 200)
  }
  const removeAll = async (viewer: Viewer) => assertDone(t, await viewer.remove('/history'), 200)

  /** The same report by both ways. */
  const ways: [way: string, send: (viewer: Viewer, report: object) => Promise<Answer>, isTaken: (t: Test, answer: Answer) => void][] = [
    ['POST', (viewer, report) => viewer.post('/history', report), (t, answer) => assertDone(t, answer, 201)],
    [
      'a batch',
      (viewer, report) => viewer.post('/history/batch', { reports: [report] }),
      (t, answer) => t.match([answer.statusCode, answer.json()], [200, { data: { saved: 1, refused: [] } }])
    ]
  ]
  for (const [way, send, isTaken] of ways)
    for (const [what, remove, left] of [
      ['the element', (viewer: Viewer) => removeOne(viewer, 1), [2]],
      ['the whole history', removeAll, []]
    ] as [string, (viewer: Viewer) => Promise<void>, number[]][])
      t.test(`by ${way}, after a removal of ${what}`, async t => {
        const viewer = await viewerOf(app)
        for (const id of [1, 2]) await watch(viewer, id, { time: 5, observed_at: longAgo })
        const whileThere = new Date().toISOString()
        await tick()
        await remove(viewer)
        for (const observed_at of [longAgo, '1969-01-01T00:00:00Z', whileThere]) {
          const answer = await send(viewer, { content_id: 1, time: 9, observed_at })
          isTaken(t, answer)
          t.equal(answer.headers.location, undefined)
          t.strictSame(await contentIds(viewer), left, observed_at)
        }
        isTaken(t, await send(viewer, { content_id: 3, time: 9, observed_at: longAgo }))
        t.strictSame(await contentIds(viewer), what === 'the element' ? [2, 3] : [], 'only what was not removed is left')

        await tick()
        isTaken(t, await send(viewer, { content_id: 1, time: 7, observed_at: new Date().toISOString() }))
        t.match(collectionOf(await viewer.get('/history?content_id=1')), [{ time: 7, plays: 0 }], 'what was watched afterwards counts')
        const late = await send(viewer, { content_id: 1, time: 9, percentage: 99, observed_at: whileThere })
        isTaken(t, late)
        const [{ _id, ...again }] = collectionOf(await viewer.get('/history?content_id=1'))
        t.match(again, { time: 7, percentage: 0, plays: 0 }, 'without the values from before')
        if (way === 'POST') t.equal(late.headers.location, `/history/${_id}`)
      })

  t.test('of a batch what is older than each removal is dropped alone', async t => {
    const viewer = await viewerOf(app)
    for (const id of [1, 2]) await watch(viewer, id)
    await removeOne(viewer, 1)
    await tick()
    const since = new Date().toISOString()
    const answer = await viewer.post('/history/batch', {
      reports: [
        { content_id: 1, time: 1, percentage: 95, observed_at: longAgo },
        { content_id: 1, time: 2, observed_at: since },
        { content_id: 2, time: 3, observed_at: since },
        { content_id: 3, time: 4, observed_at: longAgo }
      ]
    })
    t.match(answer.json(), { data: { saved: 4, refused: [] } })
    t.strictSame(await contentIds(viewer), [1, 2, 3])
    t.match(collectionOf(await viewer.get('/history?content_id=1')), [{ time: 2, percentage: 0, plays: 0 }])
  })

  t.test('a report without an observation is of now, whatever was removed', async t => {
    const viewer = await viewerOf(app)
    for (let round = 0; round < 3; round++) {
      await watch(viewer, 1, { time: round, percentage: 95 })
      t.match(collectionOf(await viewer.get('/history')), [{ content_id: 1, time: round, plays: 1 }])
      await removeAll(viewer)
    }
    t.strictSame(await contentIds(viewer), [])
  })

  t.test('the removals of one user are not those of another', async t => {
    const [a, b] = [await viewerOf(app), await viewerOf(app)]
    for (const viewer of [a, b]) await watch(viewer, 1, { observed_at: longAgo })
    await removeAll(a)
    await removeOne(b, 1)
    await watch(b, 2, { observed_at: longAgo })
    t.strictSame(await contentIds(b), [2])
  })

  t.test('no race of a late report with a removal brings it back', async t => {
    const { data } = app
    const { id } = await viewerOf(app)
    const ids = Array.from({ length: 12 }, (_, i) => i + 1)
    const elements = async () => (await data.history.list(id, { page: 1, perPage: 100 })).elements
    let races = 0
    for (let round = 0; round < 60; round++) {
      const observed_at = new Date()
      const reports = ids.map(content_id => ({ content_id, progress: { time: round, observed_at } }))
      await tick()
      await data.reports.putAll(id, reports)
      const removals =
        round % 2
          ? [data.history.removeAll(id)]
          : (await elements()).map(({ _id }) =>
              data.history.remove(id, _id.toHexString()).catch(error => t.match(error.message, /not found/))
            )
      const late = [...reports.slice(0, 6).map(report => data.reports.put(id, report)), data.reports.putAll(id, reports)]
      await Promise.all([...removals, ...late])
      races += 6 + reports.length
      const left = await elements()
      if (left.length > 0) t.strictSame(left, [], `round ${round}`)
    }
    t.ok(races > 1000)
  })
})
