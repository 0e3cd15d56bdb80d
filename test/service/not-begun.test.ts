import t from 'tap'
import { collectionOf } from '../helpers/answers.js'
import { buildWith } from '../helpers/app.js'
import { change, databaseOf } from '../helpers/database.js'
import { content, episode, film } from '../helpers/documents.js'
import { until } from '../helpers/until.js'
import { viewerOf, watch } from '../helpers/viewer.js'
import { crowdOf, firstOfCrowd, idsFor, type Recommended, recommendedTo, span, taught, views } from '../recommendations/helper.js'
import { assertDone, assertError } from '../routes/helper.js'

const start_date = new Date('2098-01-01')
const titles = span(1, 8)
const contents = [
  ...titles.map(id => film(id)),
  film(9, { name: 'Secret', start_date, replaces: [10] }),
  film(10),
  content(100),
  episode(101, 100),
  episode(102, 100, { start_date }),
  content(200, { start_date }),
  episode(201, 200)
]
/** A film, also by its earlier id, an episode of a show that has begun, and a show with an episode that would be open by itself. */
const notBegun = [9, 10, 102, 200, 201]

const app = await buildWith(t, { contents })
await views(app, crowdOf(titles, 1, firstOfCrowd))
await taught(app)

t.test('what has not begun does not exist for viewers, whatever is stored about it', async t => {
  const viewer = await viewerOf(app)
  const { data } = app
  // What is stored under the earlier id may be moved at any moment.
  for (const id of notBegun.filter(id => id !== 10)) {
    await data.hidden.put(viewer.id, id)
    await data.ratings.put(viewer.id, id, 'like')
    await data.preferences.put(viewer.id, id, { audio: 'de' })
  }
  const stored = async () => {
    const lists = ['hidden', 'ratings', 'preferences', 'dismissals', 'seen']
    return Promise.all(lists.map(list => databaseOf(app).collection(list).find({ user_id: viewer.id }).toArray()))
  }
  const before = await stored()
  for (const id of notBegun)
    for (const answer of [
      await viewer.put(`/hidden/${id}`),
      await viewer.remove(`/hidden/${id}`),
      await viewer.put(`/ratings/${id}`, { rating: 'like' }),
      await viewer.remove(`/ratings/${id}`),
      await viewer.get(`/preferences/${id}`),
      await viewer.put(`/preferences/${id}`, { audio: 'en' }),
      await viewer.remove(`/preferences/${id}`),
      await viewer.get(`/contents/${id}/similar`)
    ])
      assertError(t, answer, 404, 404, 'Resource not found', `${answer.raw.req.method} ${answer.raw.req.url}`)
  assertDone(t, await viewer.post('/recommendations/seen', { content_ids: notBegun }), 200)
  for (const id of [9, 10, 102, 200]) assertError(t, await viewer.remove(`/continue-watching/${id}`), 404, 404, 'Resource not found')
  t.strictSame(await stored(), before)
  for (const path of ['/hidden', '/ratings']) {
    const { collection, meta } = (await viewer.get(path)).json().data
    t.strictSame([collection, meta.total_count], [[], 0], path)
  }

  assertDone(t, await viewer.post('/recommendations/seen', { content_ids: [...notBegun, 101] }), 200)
  t.match((await stored()).at(-1), [{ titles: [{ content_id: 100 }] }], 'what has begun is noted')
})

t.test('an episode that begins before its show has a card, which can be hidden', async t => {
  const viewer = await viewerOf(app)
  await watch(viewer, 201, { time: 300, percentage: 30 })
  const cards = async () => collectionOf(await viewer.get('/continue-watching')).length
  t.equal(await cards(), 1)
  assertDone(t, await viewer.remove('/continue-watching/201'), 200)
  t.equal(await cards(), 0)
})

t.test('and is named nowhere but in the watchlist', async t => {
  const viewer = await viewerOf(app)
  await viewer.put('/ratings/1', { rating: 'like' })
  await watch(viewer, 2, { time: 3000, percentage: 95 })
  await watch(viewer, 3, { time: 300, percentage: 30 })
  await watch(viewer, 101, { time: 3000, percentage: 95 })
  await viewer.put('/hidden/4')
  for (const id of [1, 2, 3]) await viewer.post('/watchlist', { content_id: id })

  type Row = { kind: string; because: { content_id: number } | null; items: { content: { id: number }; reason?: Recommended['reason'] }[] }
  const reasonIn = (reason: Recommended['reason'] | undefined) => (reason?.type === 'watched' ? [reason.content_id] : [])
  /** The ids of all titles that the row shows or names. */
  const idsIn = ({ because, items }: Row) => [
    ...(because ? [because.content_id] : []),
    ...items.flatMap(({ content, reason }) => [content.id, ...reasonIn(reason)])
  ]
  const named = async () => {
    const { rows }: { rows: Row[] } = (await viewer.get('/home')).json().data
    const listed = (await Promise.all(['/hidden', '/ratings'].map(path => viewer.get(path)))).flatMap(collectionOf)
    const recommended = await recommendedTo(viewer)
    const ids = [
      ...rows.filter(({ kind }) => kind !== 'watchlist').flatMap(idsIn),
      ...listed.map(({ content_id }: { content_id: number }) => content_id),
      ...recommended.flatMap(({ id, reason }) => [id, ...reasonIn(reason)])
    ]
    return [1, 2, 3, 4].filter(id => ids.includes(id))
  }
  t.strictSame(await named(), [1, 2, 3, 4])

  const begun = contents[0]?.start_date as Date
  for (const id of [1, 2, 3, 4]) await change(app, 'contents', id, { start_date })
  await until(async () => (await idsFor(await viewerOf(app))).length === titles.length - 4 + 1)
  t.strictSame(await named(), [])
  const { rows }: { rows: Row[] } = (await viewer.get('/home')).json().data
  t.strictSame(rows.filter(({ kind }) => kind === 'watchlist').flatMap(idsIn), [3, 2, 1])
  t.equal((await viewer.remove('/ratings/1')).statusCode, 404)

  for (const id of [1, 2, 3, 4]) await change(app, 'contents', id, { start_date: begun })
  await until(async () => (await named()).length === 4)
  t.strictSame(await named(), [1, 2, 3, 4], 'once it begins, what was stored counts')
})
