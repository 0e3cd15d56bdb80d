import { Decimal128, type Document, Long, ObjectId } from 'mongodb'
import t from 'tap'
import { collectionOf, idsOf, notFound } from '../helpers/answers.js'
import { build } from '../helpers/app.js'
import { databaseOf, seededUrl } from '../helpers/database.js'
import { film } from '../helpers/documents.js'
import { viewerOf, watch } from '../helpers/viewer.js'

const decimal = Decimal128.fromString('1.5')
const oddDates = [undefined, null, 'yesterday', 5, new Date('+012345-01-01T00:00:00Z'), { toString: 1 }]
const oddHistory: Document[] = [
  ...oddDates.flatMap(date => [{ created_at: date }, { updated_at: date }]),
  ...['x', Number.NaN, Number.POSITIVE_INFINITY, decimal, Long.MAX_VALUE, [1, 2], {}].flatMap(value => [
    { time: value },
    { percentage: value }
  ])
]

t.test('broken elements that other software wrote hide no others', async t => {
  const log: string[] = []
  const films = Array.from({ length: 80 }, (_, i) => film(i + 1))
  const app = await build(t, { url: await seededUrl(t, { contents: films }), log })
  const viewer = await viewerOf(app)
  await watch(viewer, 1, { time: 30, percentage: 10 })
  await viewer.post('/watchlist', { content_id: 1 })
  await viewer.remove('/continue-watching/80')

  const db = databaseOf(app)
  const at = new Date('2026-01-02T03:04:05Z')
  const element = (content_id: number) => ({ user_id: viewer.id, content_id, time: 5, percentage: 5, created_at: at, updated_at: at })
  const history: Document[] = oddHistory.map((odd, i) => ({ ...element(10 + i), _id: new ObjectId(), ...odd }))
  history.push(
    { ...element(70), _id: 'x' },
    { ...element(71), _id: 7 },
    { ...element(72), content_id: 'x' },
    { ...element(73), content_id: decimal },
    // Without a content, before the last row.
    { user_id: viewer.id, time: 5, percentage: 5, created_at: at, updated_at: new Date(at.getTime() + 1) }
  )
  await db.collection('history').insertMany(history, { bypassDocumentValidation: true })
  const watchlist: Document[] = oddDates.flatMap((date, i) => [
    { ...element(10 + i), _id: -1 - i, created_at: date },
    { ...element(30 + i), _id: -11 - i, updated_at: date }
  ])
  watchlist.push({ ...element(70), _id: 'x' }, { ...element(71), content_id: 'x' }, { ...element(72), _id: decimal })
  await db.collection('watchlist').insertMany(watchlist, { bypassDocumentValidation: true })
  await db.collection('dismissals').insertMany(
    [
      { user_id: viewer.id, content_id: 1 },
      { user_id: viewer.id, content_id: 2, at: 'x' },
      { user_id: viewer.id, content_id: 3, at: null }
    ],
    { bypassDocumentValidation: true }
  )
  const hidden: Document[] = oddDates.map((date, i) => ({ user_id: viewer.id, content_id: 60 + i, created_at: date }))
  hidden.push(...['x', decimal, null, [79]].map(content_id => ({ user_id: viewer.id, content_id, created_at: at })))
  await viewer.put('/hidden/80')
  await db.collection('hidden').insertMany(hidden, { bypassDocumentValidation: true })
  // A field of an element that must not be mistaken for the total of the list.
  await db.collection('history').updateOne({ content_id: 1 }, { $set: { total: 5000 } }, { bypassDocumentValidation: true })

  const warnings = () => log.map(line => JSON.parse(line)).filter(({ level }) => level >= 40)
  const get = async (url: string) => {
    const answer = await viewer.get(url)
    t.equal(answer.statusCode, 200, `${url} ${answer.body.slice(0, 300)}`)
    return answer
  }
  const shown = await get('/history?perPage=100')
  t.match(collectionOf(shown), [{ content_id: 1 }])
  t.equal(collectionOf(shown).length, 1)
  t.equal(shown.json().data.meta.total_count, 1 + history.length)
  t.match(warnings(), [{ collection: 'history', count: history.length }])
  t.strictSame(warnings()[0].ids.slice().sort().length, 10, 'at most ten are named')
  for (const query of ['status=in_progress', 'status=completed', 'content_id=1,10,11', 'perPage=1&page=3']) await get(`/history?${query}`)

  const saved = await get('/watchlist?perPage=100')
  t.match(collectionOf(saved), [{ content_id: 1 }])
  t.equal(collectionOf(saved).length, 1)
  t.match(warnings().at(-1), { collection: 'watchlist', count: watchlist.length })

  const unwanted = await get('/hidden?perPage=100')
  t.match(collectionOf(unwanted), [{ content_id: 80 }])
  t.equal(collectionOf(unwanted).length, 1)
  t.match(warnings().at(-1), { collection: 'hidden', count: hidden.length })

  const cards = collectionOf(await get('/continue-watching?perPage=100'))
  t.ok(cards.some(({ content }: { content: { id: number } }) => content.id === 1))
  for (const card of cards) t.match(card, { reason: 'resume', history: { content_id: card.content.id } })
  const recommended = (await get('/recommendations')).json().data.map(({ id }: { id: number }) => id)
  t.equal(recommended.length, 20)
  for (const { content_id } of hidden) t.notOk(recommended.includes(content_id), 'a title without created_at is hidden all the same')

  const told = warnings().length
  for (const url of ['/history?perPage=100', '/watchlist?perPage=100', '/hidden?perPage=100', '/continue-watching?perPage=100'])
    await get(url)
  t.equal(warnings().length, told, 'and they are not logged at every request')

  t.test('and are not found by their ids, but can be mended and removed', async t => {
    const { _id } = history[0] as { _id: ObjectId }
    const path = `/history/${_id.toHexString()}`
    const answer = await viewer.get(path)
    t.strictSame([answer.statusCode, answer.json()], [404, notFound])
    t.equal((await viewer.get(`/watchlist/${_id.toHexString()}`)).statusCode, 404)
    t.equal((await viewer.put(path, { time: 9 })).statusCode, 200)
    t.match((await viewer.get(path)).json().data, { content_id: 10, time: 9 })
    for (const { _id } of history.slice(1, 5)) t.equal((await viewer.remove(`/history/${_id.toHexString()}`)).statusCode, 200)
    for (const { content_id } of history.slice(5))
      if (Number.isInteger(content_id)) t.equal((await viewer.post('/history', { content_id, time: 7 })).statusCode, 201, content_id)
    t.equal((await viewer.remove('/history')).statusCode, 200)
    t.equal((await viewer.remove('/watchlist')).statusCode, 200)
    t.strictSame(idsOf(await viewer.get('/watchlist')), [])
  })

  t.test('nor is one whose content was removed', async t => {
    const id = await watch(viewer, 2, { time: 5 })
    await db.collection<{ _id: number }>('contents').deleteOne({ _id: 2 })
    const answer = await viewer.get(`/history/${id}`)
    t.strictSame([answer.statusCode, answer.json()], [404, notFound])
  })
})
