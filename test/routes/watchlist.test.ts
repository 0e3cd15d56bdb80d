import t, { type Test } from 'tap'
import type { WatchlistDocument } from '../../src/viewing/watchlist.js'
import { type Answer, assertRefused, collectionOf } from '../helpers/answers.js'
import { buildWith } from '../helpers/app.js'
import { change, databaseOf } from '../helpers/database.js'
import { episode, film, rich } from '../helpers/documents.js'
import { tick, until } from '../helpers/until.js'
import { allPages, type Viewer, viewerOf, watch } from '../helpers/viewer.js'
import {
  assertDone,
  assertError,
  badQueries,
  closed,
  countryCases,
  emptyMeta,
  metaOfFive,
  notInUs,
  notToBeAdded,
  swedish,
  wantToken,
  wire
} from './helper.js'

const show = rich(1, { countries_include: null, countries_exclude: null, handler_id: 'media "ä" 1' })
const contents = [
  show,
  episode(2, 1),
  ...[3, 4, 5].map(id => film(id)),
  ...Object.values(closed),
  swedish,
  notInUs,
  ...Array.from({ length: 60 }, (_, i) => film(101 + i))
]

const gone = 'Watchlist element not found'
const contentIds = (answer: Answer) => collectionOf(answer).map(({ content_id }: { content_id: number }) => content_id)

/** Saves a content and gives the id of its element. */
const save = async (viewer: Viewer, content_id: number): Promise<number> => {
  await tick()
  const answer = await viewer.post('/watchlist', { content_id })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return collectionOf(await viewer.get(`/watchlist?content_id=${content_id}`))[0].id
}

t.test('watchlist', async t => {
  const app = await buildWith(t, { contents }, { settings: { COUNTRY_HEADER: 'cf-ipcountry' } })
  const stored = databaseOf(app).collection<WatchlistDocument>('watchlist')

  t.test('POST saves a content, and the list shows it in its whole wire form', async t => {
    const viewer = await viewerOf(app)
    const before = Date.now()
    assertDone(t, await viewer.post('/watchlist', { content_id: 1 }), 201)
    const list = await viewer.get('/watchlist')
    const [{ id, created_at }] = collectionOf(list)
    t.ok(Number.isSafeInteger(id) && id > 0, 'the id is an integer')
    t.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000Z$/)
    t.ok(Date.parse(created_at) >= before && Date.parse(created_at) <= Date.now(), 'created_at is the current time')
    const element = {
      id,
      user_id: viewer.id,
      content_id: 1,
      video_id: 'media "ä" 1',
      created_at,
      updated_at: created_at,
      content: wire(show)
    }
    t.equal(list.statusCode, 200)
    t.equal(
      list.body,
      JSON.stringify({ success: true, data: { collection: [element], meta: { ...emptyMeta, total_pages: 1, total_count: 1 } } })
    )
    t.equal(list.headers['content-length'], String(Buffer.byteLength(list.body)))
    t.match(list.headers, { 'content-type': /^application\/json/, 'cache-control': 'private, no-store' })
  })

  t.test('POST again answers 201 and changes nothing', async t => {
    const viewer = await viewerOf(app)
    await save(viewer, 1)
    await save(viewer, 2)
    const before = (await viewer.get('/watchlist')).body
    await tick()
    assertDone(t, await viewer.post('/watchlist', { content_id: 1 }), 201)
    t.equal((await viewer.get('/watchlist')).body, before)
    t.equal(await stored.countDocuments({ user_id: viewer.id }), 2)
  })

  t.test('GET by id gives a history element, not one of the watchlist', async t => {
    const viewer = await viewerOf(app)
    const id = await save(viewer, 1)
    assertError(t, await viewer.get(`/watchlist/${id}`), 404, 404, 'Resource not found', 'the id of a watchlist element is no history id')
    const historyId = await watch(viewer, 2, { time: 3 })
    const [byWatchlist, byHistory] = [await viewer.get(`/watchlist/${historyId}`), await viewer.get(`/history/${historyId}`)]
    t.equal(byWatchlist.statusCode, 200)
    t.equal(byWatchlist.body, byHistory.body)
    t.match(byWatchlist.json(), { success: true, data: { _id: historyId, content_id: 2, time: 3, content: { id: 2 } } })
    assertError(t, await viewer.remove(`/watchlist/${historyId}`), 404, 404, gone, 'the id of a history element is no watchlist id')
    t.equal((await viewer.get(`/history/${historyId}`)).statusCode, 200)
  })

  t.test('ids are never given twice', async t => {
    const viewer = await viewerOf(app)
    const first = await save(viewer, 1)
    assertDone(t, await viewer.remove(`/watchlist/${first}`), 200)
    t.not(await save(viewer, 1), first)
  })

  t.test('DELETE by id removes that element alone', async t => {
    const viewer = await viewerOf(app)
    const [first] = [await save(viewer, 1), await save(viewer, 2)]
    assertDone(t, await viewer.remove(`/watchlist/${first}`), 200)
    t.strictSame(contentIds(await viewer.get('/watchlist')), [2])
    assertError(t, await viewer.remove(`/watchlist/${first}`), 404, 404, gone)
  })

  t.test('DELETE removes all of the user and of nobody else', async t => {
    const [viewer, other] = [await viewerOf(app), await viewerOf(app)]
    await save(other, 1)
    await watch(viewer, 1)
    for (const id of [1, 2, 3]) await save(viewer, id)
    const before = (await other.get('/watchlist')).body
    assertDone(t, await viewer.remove('/watchlist'), 200)
    t.equal((await viewer.get('/watchlist')).body, JSON.stringify({ success: true, data: { collection: [], meta: emptyMeta } }))
    t.equal(collectionOf(await viewer.get('/history')).length, 1, 'the history stays')
    assertDone(t, await viewer.remove('/watchlist'), 200, 'an empty watchlist')
    assertDone(t, await viewer.remove('/watchlist', '', { 'content-type': 'application/json' }), 200)
    t.equal((await other.get('/watchlist')).body, before)
  })

  t.test('a trailing slash is an empty id', async t => {
    const viewer = await viewerOf(app)
    const id = await save(viewer, 1)
    const before = (await viewer.get('/watchlist')).body
    assertError(t, await viewer.remove('/watchlist/'), 404, 404, gone)
    assertError(t, await viewer.remove('/watchlist/?x'), 404, 404, gone)
    assertError(t, await viewer.get('/watchlist/'), 404, 404, 'Resource not found')
    for (const url of ['/watchlist//', `/watchlist//${id}`, `/watchlist/${id}/`, '//watchlist'])
      t.equal((await viewer.remove(url)).statusCode, 404, url)
    t.ok([404, 405].includes((await viewer.post('/watchlist/', { content_id: 3 })).statusCode))
    t.equal((await viewer.get('/watchlist')).body, before)
  })

  t.test('an element still shows when its content is deleted', async t => {
    const own = await buildWith(t, { contents: [show] })
    const viewer = await viewerOf(own)
    await save(viewer, 1)
    const before = (await viewer.get('/watchlist')).body
    await change(own, 'contents', 1, { deleted_at: new Date() })
    await until(async () => (await viewer.post('/watchlist', { content_id: 1 })).statusCode === 400)
    t.equal((await viewer.get('/watchlist')).body, before)
    await change(own, 'contents', 1, { handler_id: 'other', name: 'Renamed' })
    await until(async () => (await viewer.get('/watchlist')).body !== before)
    t.match(collectionOf(await viewer.get('/watchlist')), [{ video_id: 'other', content: { handler_id: 'other', name: 'Renamed' } }])
  })

  t.test('filters by content', async t => {
    const viewer = await viewerOf(app)
    for (const id of [1, 2, 3, 4]) await save(viewer, id)
    for (const [query, expected] of [
      ['', [4, 3, 2, 1]],
      ['content_id=3', [3]],
      ['content_id=1,3,777', [3, 1]],
      ['content_id=1&content_id=3', [3, 1]],
      ['content_id=777', []],
      ['status=completed&foo=1', [4, 3, 2, 1]]
    ] as [string, number[]][]) {
      const answer = await viewer.get(`/watchlist?${query}`)
      t.strictSame(contentIds(answer), expected, query)
      t.equal(answer.json().data.meta.total_count, expected.length, query)
    }
    for (const value of ['x', '', '1,', ',', '1,x', '-1', '1.5', '0x1', '%2B1', '9'.repeat(400)])
      assertRefused(t, await viewer.get(`/watchlist?content_id=${value}`), 'content_id', value.slice(0, 40))
  })

  t.test('meta is right at every boundary', async t => {
    const viewer = await viewerOf(app)
    t.strictSame((await viewer.get('/watchlist?page=2')).json().data, { collection: [], meta: { ...emptyMeta, page: 2 } })
    for (const id of [1, 2, 3, 4, 5]) await save(viewer, id)
    for (const meta of metaOfFive) {
      const answer = await viewer.get(`/watchlist?page=${meta.page}&perPage=${meta.per_page}`)
      t.strictSame(answer.json().data?.meta, meta, `page ${meta.page} of ${meta.per_page}`)
      const from = (meta.page - 1) * meta.per_page
      t.strictSame(contentIds(answer), [5, 4, 3, 2, 1].slice(from, from + meta.per_page))
    }
  })

  t.test('refuses bad pages', async t => {
    const viewer = await viewerOf(app)
    for (const [query, field] of badQueries) {
      const answer = await viewer.get(`/watchlist?${query}`)
      if (field) assertRefused(t, answer, field, query.slice(0, 30))
      else t.equal(answer.statusCode, 200, 'an unknown parameter is ignored')
    }
  })

  t.test('paging over equal moments shows each element once', async t => {
    const viewer = await viewerOf(app)
    const elements = Array.from({ length: 60 }, (_, i): WatchlistDocument => {
      const at = new Date(1.7e12 + (i % 3))
      return { _id: 1_000_000 + ((i * 37) % 60), user_id: viewer.id, content_id: 101 + i, created_at: at, updated_at: at }
    })
    await stored.insertMany(elements)
    const all = elements.toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime() || b._id - a._id).map(({ _id }) => _id)
    for (const perPage of [1, 7, 20, 59, 60, 100]) {
      const pages = await allPages(viewer, '/watchlist', perPage)
      t.equal(pages.length, Math.ceil(60 / perPage))
      t.strictSame(
        pages.flatMap(({ collection }) => collection.map(({ id }: { id: number }) => id)),
        all,
        'newest first, ties by id'
      )
    }
    const some = elements.filter((_, i) => i % 3 === 0).slice(0, 4)
    const filter = `content_id=${some.map(({ content_id }) => content_id).join()}`
    const pages = await Promise.all([1, 2].map(page => viewer.get(`/watchlist?${filter}&perPage=2&page=${page}`)))
    t.strictSame(
      pages.flatMap(collectionOf).map(({ id }) => id),
      some.map(({ _id }) => _id).toSorted((a, b) => b - a),
      'also with a filter'
    )
  })

  t.test('refuses bad input', async t => {
    const viewer = await viewerOf(app)
    const kept = await save(viewer, 2)
    const before = (await viewer.get('/watchlist')).body
    const unchanged = async (t: Test) => t.equal((await viewer.get('/watchlist')).body, before, 'nothing was changed')

    t.test('of content_id', async t => {
      for (const value of ['"1"', 'null', 'true', '[1]', '{}', '{"$gt":0}', '1.5', '0', '-1', '1e400', '-1e400', '""', '"abc"'])
        assertRefused(t, await viewer.post('/watchlist', `{"content_id":${value}}`), 'content_id', value)
      await unchanged(t)
    })

    t.test('a missing content_id', async t => {
      for (const body of [undefined, '', '{}', '{"contentId":1}', '{"id":1}'])
        assertError(t, await viewer.post('/watchlist', body), 400, 400, 'The content ID was not provided', body)
      await unchanged(t)
    })

    t.test('bodies that are no objects, no JSON or too long', async t => {
      for (const body of ['[]', '[{"content_id":1}]', '"1"', 'null', 'true', '1', '{', '{"content_id":NaN}', 'content_id=1']) {
        const answer = await viewer.post('/watchlist', body)
        t.equal(answer.statusCode, 400, body)
        t.match(answer.json(), { success: false, code: 400, message: /\w+ \w+/ }, body)
      }
      const long = JSON.stringify({ content_id: 1, pad: 'x'.repeat(70_000) })
      for (const answer of [
        await viewer.post('/watchlist', long),
        await viewer.remove('/watchlist', long),
        await viewer.remove(`/watchlist/${kept}`, long)
      ])
        t.match([answer.statusCode, answer.json()], [413, { success: false, code: 413, message: /\w/ }])
      await unchanged(t)
    })

    for (const [what, id] of notToBeAdded)
      t.test(`a content that is ${what}`, async t => {
        assertError(t, await viewer.post('/watchlist', { content_id: id }), 400, 404, 'The content was not found')
        await unchanged(t)
      })

    t.test('a content that is closed in the country', async t => {
      for (const [country, content_id, isOpen] of countryCases) {
        const there = await viewerOf(app, country === undefined ? {} : { 'cf-ipcountry': country })
        const answer = await there.post('/watchlist', { content_id })
        if (isOpen) assertDone(t, answer, 201, `${content_id} in ${country}`)
        else assertError(t, answer, 400, 404, 'The content was not found', `${content_id} in ${country}`)
        t.equal(collectionOf(await there.get('/watchlist', undefined, { 'cf-ipcountry': 'KR' })).length, isOpen ? 1 : 0)
      }
    })

    t.test('an invalid id is not found', async t => {
      for (const id of [
        ...['0', '-1', '1.0', '1.5', '+1', '%2B1', '01', `0${kept}`, '0x1', '1e0', 'abc', 'a'.repeat(24), '1'.repeat(24), '9'.repeat(400)],
        ...['9007199254740991', '9007199254740993', '99999999999999999999', '%00', `${kept}%00`, '%20', `${kept}%20`, `%20${kept}`, '%2F'],
        ...[`${kept}%2F`, `${kept}%0A`, '%D9%A1', 'null', 'NaN', 'Infinity', '__proto__', `${kept},${kept}`, 'x'.repeat(10_000), '*']
      ])
        assertError(t, await viewer.remove(`/watchlist/${id}`), 404, 404, gone, id.slice(0, 40))
      await unchanged(t)
    })

    t.test('but unknown fields are ignored and not kept', async t => {
      assertDone(
        t,
        await viewer.post('/watchlist', { content_id: 3, user_id: 1, id: 5, _id: 5, video_id: 'x', created_at: 'x', time: -1 }),
        201
      )
      const document = await stored.findOne({ user_id: viewer.id, content_id: 3 })
      t.strictSame(Object.keys(document ?? {}).sort(), [
        '_id',
        'arrived_at',
        'asked_at',
        'content_id',
        'created_at',
        'updated_at',
        'user_id'
      ])
      t.not(document?._id, 5)
    })
  })

  t.test('existence before ownership: nothing of another user is shown or changed', async t => {
    const [a, b] = [await viewerOf(app), await viewerOf(app)]
    await save(a, 1)
    const theirs = [await save(b, 1), await save(b, 2), await save(b, 3)]
    const before = (await b.get('/watchlist')).body
    for (const id of theirs) {
      assertError(t, await a.remove(`/watchlist/${id}`), 403, 403, 'Forbidden')
      assertError(t, await a.get(`/watchlist/${id}`), 404, 404, 'Resource not found')
    }
    t.strictSame(contentIds(await a.get('/watchlist?content_id=1,2,3')), [1], 'filters apply to the user’s own elements')
    t.equal((await b.get('/watchlist')).body, before)
    await a.remove('/watchlist')
    await a.remove('/history')
    t.equal((await b.get('/watchlist')).body, before, 'DELETE without an id removes only the user’s own elements')
    assertDone(t, await b.remove(`/watchlist/${theirs[0]}`), 200)
    assertError(t, await a.remove(`/watchlist/${theirs[0]}`), 404, 404, gone, 'a removed element belongs to nobody')
  })

  t.test('wants a token, whatever else is wrong', async t => {
    const viewer = await viewerOf(app)
    const id = await save(viewer, 1)
    const before = (await viewer.get('/watchlist')).body
    await wantToken(t, app, viewer.headers.authorization, [
      ['GET', '/watchlist'],
      ['GET', '/watchlist?page=0'],
      ['POST', '/watchlist', '{"content_id":1}'],
      ['POST', '/watchlist', '{'],
      ['POST', '/watchlist'],
      ['DELETE', '/watchlist'],
      ['DELETE', '/watchlist/'],
      ['DELETE', `/watchlist/${id}`],
      ['DELETE', '/watchlist/x'],
      ['GET', '/watchlist/x']
    ])
    t.equal((await viewer.get('/watchlist')).body, before)
  })
})
