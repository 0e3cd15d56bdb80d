import type { Db } from 'mongodb'
import t from 'tap'
import { collectionOf } from '../helpers/answers.js'
import { buildWith } from '../helpers/app.js'
import { databaseOf, openCursors } from '../helpers/database.js'
import { film } from '../helpers/documents.js'
import { viewerOf } from '../helpers/viewer.js'

/** The columns that recommendations need of them have 18 MB, which does not fit into one batch. */
const length = 250_000
const atOnce = 50_000

const wanted = [11, 12, 13]
const begun = [1, 2, 3, 4, 5]
const hidden = [6, 7]
const saved = [8, 9]
const contents = [...begun, ...hidden, ...saved, ...wanted].map(id => film(id))

/** Meanwhile, popular titles of all viewers are counted in the background, by an index that names `user_id`. */
const cursorsOfViewers = async (db: Db) =>
  (await openCursors(db)).filter(({ cursor: { originatingCommand } }) =>
    JSON.stringify({ ...originatingCommand, hint: null }).includes('"user_id":')
  )

t.test('a viewer with a history of 250,000 elements', async t => {
  const app = await buildWith(t, { contents })
  const viewer = await viewerOf(app)
  const db = databaseOf(app)
  const now = Date.now()
  const element = (content_id: number, age: number) => {
    const at = new Date(now - age)
    return { user_id: viewer.id, content_id, time: 60.5, percentage: 50.5, plays: 0, created_at: at, updated_at: at }
  }
  for (let from = 0; from < length; from += atOnce) {
    const some = Array.from({ length: atOnce }, (_, i) => element(1_000_000 + from + i, from + i))
    await db.collection('history').insertMany(some, { ordered: false })
  }
  // The titles of the catalogue were begun before all others, so they are the last to be read.
  await db.collection('history').insertMany(begun.map(id => element(id, length + id)))
  for (const id of hidden) t.equal((await viewer.put(`/hidden/${id}`)).statusCode, 200)
  for (const content_id of saved) t.equal((await viewer.post('/watchlist', { content_id })).statusCode, 201)

  t.test('is recommended nothing that was begun or hidden', async t => {
    const ids = (await viewer.get('/recommendations?perPage=100')).json().data.map(({ id }: { id: number }) => id)
    t.strictSame(ids.sort(), [...saved, ...wanted].sort())
    t.strictSame(await cursorsOfViewers(db), [])
  })

  t.test('has a whole start page', async t => {
    const { rows, missing } = (await viewer.get('/home?items=30')).json().data
    const idsOf = (kind: string) =>
      rows
        .find((row: { kind: string }) => row.kind === kind)
        .items.map(({ content }: { content: { id: number } }) => content.id)
        .sort()
    t.strictSame(missing, [])
    t.strictSame(idsOf('watchlist'), saved)
    t.strictSame(idsOf('recommended'), [...saved, ...wanted].sort())
    t.strictSame(await cursorsOfViewers(db), [])
  })

  t.test('has every list', async t => {
    t.strictSame(
      collectionOf(await viewer.get('/hidden')).map(({ content_id }: { content_id: number }) => content_id),
      [7, 6]
    )
    const page = (await viewer.get('/history?perPage=1&page=250005')).json().data
    t.match(page, { collection: [{ content_id: 5 }], meta: { total_count: length + begun.length, next_page: false } })
    t.strictSame((await viewer.get('/continue-watching')).json().data.meta.total_count, 0, 'which looks at the newest alone')
    t.strictSame(await cursorsOfViewers(db), [])
  })
})
