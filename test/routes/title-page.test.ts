import { ObjectId } from 'mongodb'
import t from 'tap'
import type { UserDocument } from '../../src/identity/users.js'
import { assertRefused, collectionOf, idsOf } from '../helpers/answers.js'
import { type App, beginSession, buildWith } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { content, episode, film, historyDocument, term } from '../helpers/documents.js'
import { type Viewer, viewerOf, watch } from '../helpers/viewer.js'

// What an app needs for the page of a show or film.

const day = (n: number) => new Date(Date.UTC(2021, 0, n))
const season = (id: number, position: number | null) => content(id, { type: 'season', parent_id: 10, position })
const contents = [
  content(10, { terms: [3, 1, 99, 2] }),
  season(12, 2),
  season(11, 1),
  season(13, null),
  episode(112, 11, { position: 2, terms: [2] }),
  episode(111, 11, { position: 1 }),
  episode(113, 11, { start_date: day(3) }),
  episode(114, 11, { start_date: day(2) }),
  episode(115, 11, { start_date: day(2) }),
  episode(121, 12, { position: 1, replaces: [1210, 1211] }),
  episode(122, 12, { position: 2, end_date: day(9) }),
  episode(123, 12, { position: 3, deleted_at: day(1) }),
  episode(131, 13),
  film(20, { position: 1 }),
  film(21, { replaces: [210] }),
  film(22, { replaces: [21] })
]
const terms = [term(1, { name: 'Drama', taxonomy: 'category' }), term(2, { name: 'Hiking' }), term(3, { name: 'Alps' })]
const inOrder = [10, 11, 111, 112, 114, 115, 113, 12, 121, 13, 131]

t.test('GET /contents/{contentId} has the terms of the content', async t => {
  const app = await buildWith(t, { contents, terms })
  const termsOf = async (id: number) => (await app.inject(`/contents/${id}`)).json().data.terms
  const names = [
    { id: 3, name: 'Alps', taxonomy: 'category' },
    { id: 1, name: 'Drama', taxonomy: 'category' },
    { id: 2, name: 'Hiking', taxonomy: 'category' }
  ]
  t.strictSame(await termsOf(10), names, 'in the order of the line, without one that the catalogue lacks')
  t.strictSame(await termsOf(112), names.slice(2), 'its own alone')
  t.strictSame(await termsOf(20), [])
  const [first] = collectionOf(await app.inject('/contents?ids=10'))
  t.notOk(first && 'terms' in first, 'lists have none')

  const etag = (await app.inject('/contents/10')).headers.etag
  await databaseOf(app)
    .collection<{ _id: number }>('terms')
    .updateOne({ _id: 1 }, { $set: { name: 'Tragedy' } })
  await app.data.revisions.raise('terms')
  await app.catalogue.refresh()
  t.equal((await termsOf(10))[1].name, 'Tragedy')
  t.not((await app.inject('/contents/10')).headers.etag, etag)
})

t.test('GET /contents', async t => {
  const app = await buildWith(t, { contents })
  const listed = async (query: string) => {
    const answer = await app.inject(`/contents?perPage=100&${query}`)
    t.equal(answer.json().data.meta.total_count, idsOf(answer).length, query)
    return idsOf(answer)
  }

  t.test('lists the contents of a title', async t => {
    for (const id of [10, 11, 113, 123, 1210])
      t.strictSame((await listed(`title=${id}`)).toSorted(), inOrder.toSorted(), `that ${id} belongs to`)
    t.strictSame(await listed('title=20'), [20])
    for (const id of [21, 210, 22]) t.strictSame(await listed(`title=${id}`), [22], 'an earlier id leads')
    for (const id of [0, 404, Number.MAX_SAFE_INTEGER]) t.strictSame(await listed(`title=${id}`), [], 'an unknown one finds nothing')
    t.strictSame(await listed('title=10&type=season&order_by=position'), [11, 12, 13])
    t.strictSame(await listed('title=10&parent_id=12&order_by=position'), [121])
    t.strictSame(await listed('title=10&ids=121,20,111,404&order_by=position'), [111, 121])
    t.strictSame((await listed('title=10&search=content')).toSorted(), inOrder.toSorted())
    for (const value of ['', 'x', '-1', '1.5', '10,20', '9007199254740992'])
      assertRefused(t, await app.inject(`/contents?title=${value}`), 'title', value)
  })

  t.test('orders them as they are watched', async t => {
    t.strictSame(await listed('title=112&order_by=position'), inOrder)
    t.strictSame(await listed('title=112&order_by=position&order_direction=asc'), inOrder)
    t.strictSame(await listed('title=10&order_by=position&order_direction=DESC'), inOrder.toReversed())
    t.strictSame(idsOf(await app.inject('/contents?title=10&order_by=position&perPage=3&page=2')), inOrder.slice(3, 6))
    t.strictSame(await listed('title=10&order_by=position&search=content'), inOrder)
  })

  t.test('orders by position without a title, too', async t => {
    t.strictSame(await listed('parent_id=11&order_by=position'), [111, 112, 114, 115, 113])
    t.strictSame(await listed('parent_id=11&order_by=position&order_direction=DESC'), [112, 111, 113, 115, 114])
    t.strictSame(await listed('ids=12,20,10,112&order_by=position'), [20, 12, 112, 10], 'equal positions by start date, then id')
    t.strictSame((await listed('order_by=position')).slice(0, 4), [11, 20, 111, 121])
  })
})

t.test('a viewer on the page of a show', async t => {
  const app = await buildWith(t, { contents })
  const viewer = await viewerOf(app)
  for (const content_id of [20, 111, 112, 22]) await watch(viewer, content_id, { percentage: 50 })
  const watched = async (query: string, who: Pick<Viewer, 'get'> = viewer) =>
    (await who.get(`/history?${query}`)).json().data.collection.map(({ content_id }: { content_id: number }) => content_id)
  const cards = async (query: string, who: Pick<Viewer, 'get'> = viewer) =>
    (await who.get(`/continue-watching?${query}`)).json().data.collection.map(({ content }: { content: { id: number } }) => content.id)

  t.test('gets its elements of the history alone', async t => {
    for (const id of [10, 11, 112, 123, 1211]) t.strictSame(await watched(`title=${id}`), [112, 111], `of ${id}`)
    t.strictSame(await watched('title=210'), [22])
    t.strictSame(await watched('title=10&content_id=111,20'), [111])
    t.strictSame(await watched('title=10&status=completed'), [])
    t.strictSame(await watched('title=404'), [])
    t.equal((await viewer.get('/history?title=10&perPage=1')).json().data.meta.total_count, 2)
    assertRefused(t, await viewer.get('/history?title=x'), 'title', 'x')
  })

  t.test('gets its card alone', async t => {
    t.strictSame(await cards(''), [22, 112, 20])
    for (const id of [10, 113, 1210]) t.strictSame(await cards(`title=${id}`), [112])
    t.strictSame(await cards('title=20'), [20])
    t.strictSame(await cards('title=210'), [22])
    t.strictSame(await cards('title=404'), [])
    t.equal((await viewer.get('/continue-watching?title=10')).json().data.meta.total_count, 1)
    assertRefused(t, await viewer.get('/continue-watching?title=x'), 'title', 'x')
  })

  t.test('gets it however long ago that was', async t => {
    const { id } = viewer
    const others = Array.from({ length: 2100 }, (_, i) =>
      historyDocument({ _id: new ObjectId(), user_id: id, content_id: 5000 + i, updated_at: new Date() })
    )
    await databaseOf(app).collection('history').insertMany(others)
    t.strictSame(await cards('title=10'), [112])
  })

  t.test('within its age limit', async t => {
    const child = await childOf(app)
    t.strictSame(await watched('title=10', child), [])
    t.strictSame(await cards('title=10', child), [])
  })
})

/** A viewer who has watched a content without an age, and has an age limit now. */
const childOf = async (app: App): Promise<Pick<Viewer, 'get'>> => {
  const viewer = await viewerOf(app)
  await watch(viewer, 111, { percentage: 50 })
  const user = await app.data.users.byId(viewer.id)
  const { access_token } = app.signedIn({ ...(user as UserDocument), max_age: 6 }, await beginSession(app.data, { _id: viewer.id }))
  return { get: url => app.inject({ url, headers: { authorization: `Bearer ${access_token}` } }) }
}
