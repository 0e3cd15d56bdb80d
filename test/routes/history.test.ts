import { ObjectId } from 'mongodb'
import t, { type Test } from 'tap'
import type { HistoryDocument } from '../../src/viewing/history.js'
import { type Answer, assertRefused, collectionOf } from '../helpers/answers.js'
import { build, buildWith } from '../helpers/app.js'
import { change, databaseOf } from '../helpers/database.js'
import { content, episode, film, historyDocument, rich } from '../helpers/documents.js'
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

const { duration: _duration, markers: _markers, ...show } = rich(1, { countries_include: null, countries_exclude: null })
const first = episode(2, 1)
const others = [3, 4, 5, 6, 7].map(id => film(id))
const contents = [show, first, ...others, ...Object.values(closed), swedish, notInUs]
const settings = { COUNTRY_HEADER: 'cf-ipcountry' }

const at = '2024-05-06T07:08:09.123Z'
const wireAt = '2024-05-06T07:08:09.123000Z'
const later = '2024-05-06T07:08:09.124Z'
const earlier = '2024-05-06T07:08:09.122Z'

const one = async (viewer: Viewer, id: string) => {
  const answer = await viewer.get(`/history/${id}`)
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return answer.json().data
}
const progressOf = async (viewer: Viewer, id: string) => {
  const { time, percentage, created_at, updated_at } = await one(viewer, id)
  return { time, percentage, created_at, updated_at }
}

const noId = [
  '0',
  '1',
  '-1',
  '5',
  '123456789012345678901234',
  'a'.repeat(23),
  'A'.repeat(24),
  'AAAAAAAAAAAAAAAAAAAAAAAa',
  'a'.repeat(25),
  'g'.repeat(24),
  `0x${'a'.repeat(22)}`,
  '1'.repeat(400),
  'a'.repeat(400),
  'a'.repeat(10_000),
  '%00',
  `${'a'.repeat(23)}%00`,
  `${'a'.repeat(24)}%00`,
  '%0A',
  `${'a'.repeat(24)}%0A`,
  `%20${'a'.repeat(24)}`,
  '%2F',
  `${'a'.repeat(12)}%2F${'a'.repeat(11)}`,
  '..%2F..%2Fhealth',
  '%C3%A4'.repeat(12),
  '%F0%9F%8F%94',
  'null',
  'undefined',
  '[object%20Object]',
  '%7B%22$ne%22:null%7D',
  '__proto__',
  'constructor',
  '*'
]

t.test('history', async t => {
  const app = await buildWith(t, { contents }, { settings })
  const stored = databaseOf(app).collection<HistoryDocument>('history')

  t.test('POST makes an element, and every read shows it in its whole wire form', async t => {
    const viewer = await viewerOf(app)
    const answer = await viewer.post('/history', { content_id: 1, time: 61.5, percentage: 12.25, observed_at: at })
    assertDone(t, answer, 201)
    t.match(answer.headers.location, /^\/history\/[0-9a-f]{24}$/)
    const path = String(answer.headers.location)
    const element = {
      _id: path.slice('/history/'.length),
      content: wire(show),
      user_id: viewer.id,
      content_id: 1,
      time: 61.5,
      percentage: 12.25,
      plays: 0,
      watched_at: null,
      previous: null,
      created_at: wireAt,
      updated_at: wireAt
    }

    for (const url of [path, path.replace('history', 'watchlist')]) {
      const read = await viewer.get(url)
      t.equal(read.statusCode, 200)
      t.equal(read.body, JSON.stringify({ success: true, data: element }), url)
      t.match(read.headers, { 'content-type': /^application\/json/, 'cache-control': 'private, no-store' })
    }
    const list = await viewer.get('/history')
    t.equal(list.statusCode, 200)
    t.equal(
      list.body,
      JSON.stringify({ success: true, data: { collection: [element], meta: { ...emptyMeta, total_pages: 1, total_count: 1 } } })
    )
    t.equal(list.headers['content-length'], String(Buffer.byteLength(list.body)))
    t.match(list.headers, { 'content-type': /^application\/json/, 'cache-control': 'private, no-store' })
  })

  t.test('the Location follows the base path', async t => {
    const based = await buildWith(t, { contents: [show] }, { settings: { BASE_PATH: '/api/v1' } })
    const viewer = await viewerOf(based)
    const { headers } = await viewer.post('/api/v1/history', { content_id: 1 })
    t.match(headers.location, /^\/api\/v1\/history\/[0-9a-f]{24}$/)
    t.equal((await viewer.get(String(headers.location))).statusCode, 200)
  })

  t.test('POST needs only content_id, and a value that it lacks is 0 or stays', async t => {
    const viewer = await viewerOf(app)
    const before = Date.now()
    const id = await watch(viewer, 1)
    const made = await progressOf(viewer, id)
    t.match(made, { time: 0, percentage: 0, created_at: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000Z$/ })
    t.equal(made.updated_at, made.created_at)
    t.ok(Date.parse(made.created_at) >= before && Date.parse(made.created_at) <= Date.now(), 'created_at is the current time')

    await tick()
    t.equal(await watch(viewer, 1, { time: 5 }), id, 'the element stays the same')
    t.match(await progressOf(viewer, id), { time: 5, percentage: 0, created_at: made.created_at })
    t.ok((await progressOf(viewer, id)).updated_at > made.updated_at)
    await watch(viewer, 1, { percentage: 7 })
    t.match(await progressOf(viewer, id), { time: 5, percentage: 7 })
    await watch(viewer, 1)
    t.match(await progressOf(viewer, id), { time: 5, percentage: 7 })
    await watch(viewer, 1, { time: 0 })
    t.match(await progressOf(viewer, id), { time: 0, percentage: 7 }, 'a newer report counts, whatever its values are')
    t.equal(collectionOf(await viewer.get('/history')).length, 1)
  })

  t.test('takes the bounds of time and percentage', async t => {
    const viewer = await viewerOf(app)
    for (const [time, percentage] of [
      [0, 0],
      [0.001, 100],
      [1e15, 99.999],
      [1e308, 50]
    ] as [number, number][]) {
      const id = await watch(viewer, 1, { time, percentage })
      t.match(await progressOf(viewer, id), { time, percentage })
      assertDone(t, await viewer.put(`/history/${id}`, { time, percentage }), 200)
      t.match(await progressOf(viewer, id), { time, percentage })
    }
  })

  t.test('PUT moves an element on', async t => {
    const viewer = await viewerOf(app)
    const id = await watch(viewer, 1, { time: 1, percentage: 2, observed_at: at })
    assertDone(t, await viewer.put(`/history/${id}`, { time: 3, percentage: 4, observed_at: later }), 200)
    t.strictSame(await progressOf(viewer, id), { time: 3, percentage: 4, created_at: wireAt, updated_at: later.replace('Z', '000Z') })
    const before = Date.now()
    assertDone(t, await viewer.put(`/history/${id}`, { time: 5 }), 200)
    const now = await progressOf(viewer, id)
    t.match(now, { time: 5, percentage: 4, created_at: wireAt })
    t.ok(Date.parse(now.updated_at) >= before && Date.parse(now.updated_at) <= Date.now())
    assertDone(t, await viewer.put(`/history/${id}`, { percentage: 6 }), 200)
    t.match(await progressOf(viewer, id), { time: 5, percentage: 6 })
    assertDone(t, await viewer.put(`/history/${id}`, { percentage: 6 }), 200, 'the same report again')
  })

  t.test('PUT and DELETE serve an element whose content is closed', async t => {
    const viewer = await viewerOf(app)
    const element = historyDocument({ _id: new ObjectId(), user_id: viewer.id, content_id: 20, updated_at: new Date(at) })
    await stored.insertOne(element)
    const id = element._id.toHexString()
    t.equal((await viewer.get(`/history?content_id=20`)).json().data.collection[0].content.name, closed.deleted.name)
    t.strictSame((await one(viewer, id)).content, wire(closed.deleted))
    assertDone(t, await viewer.put(`/history/${id}`, { time: 99 }), 200)
    t.match(await progressOf(viewer, id), { time: 99, percentage: 10 })
    assertDone(t, await viewer.remove(`/history/${id}`), 200)
    t.equal((await viewer.get(`/history/${id}`)).statusCode, 404)
  })

  t.test('an element still shows when its content is deleted later', async t => {
    const own = await buildWith(t, { contents: [show, first] })
    const viewer = await viewerOf(own)
    const id = await watch(viewer, 2, { time: 5, observed_at: at })
    const before = (await viewer.get('/history')).body
    await change(own, 'contents', 2, { deleted_at: new Date() })
    await until(async () => (await viewer.post('/history', { content_id: 2, observed_at: earlier })).statusCode === 400)
    const after = await viewer.get('/history')
    t.equal(after.statusCode, 200)
    t.match(after.json().data.collection, [{ _id: id, time: 5, content: { id: 2, name: first.name } }])
    t.equal(Object.hasOwn(after.json().data.collection[0].content, 'deleted_at'), false)
    t.equal(after.body, before, 'the element is unchanged')
    t.equal((await viewer.get(`/history/${id}`)).statusCode, 200)
  })

  t.test('DELETE by id removes that element alone', async t => {
    const viewer = await viewerOf(app)
    const ids = [await watch(viewer, 1), await watch(viewer, 2)]
    assertDone(t, await viewer.remove(`/history/${ids[0]}`), 200)
    t.strictSame(
      collectionOf(await viewer.get('/history')).map(({ _id }: { _id: string }) => _id),
      [ids[1]]
    )
    assertError(t, await viewer.remove(`/history/${ids[0]}`), 404, 404, 'Resource not found')
  })

  t.test('DELETE removes all of the user and of nobody else', async t => {
    const [viewer, other] = [await viewerOf(app), await viewerOf(app)]
    await watch(other, 1)
    for (const id of [1, 2, 3]) await watch(viewer, id)
    const before = (await other.get('/history')).body
    assertDone(t, await viewer.remove('/history'), 200)
    const empty = JSON.stringify({ success: true, data: { collection: [], meta: emptyMeta } })
    t.equal((await viewer.get('/history')).body, empty)
    assertDone(t, await viewer.remove('/history'), 200, 'an empty history')
    assertDone(t, await viewer.remove('/history', '', { 'content-type': 'application/json' }), 200, 'with a content type but no body')
    t.equal((await other.get('/history')).body, before)
  })

  t.test('a trailing slash is an empty id', async t => {
    const viewer = await viewerOf(app)
    const ids = [await watch(viewer, 1), await watch(viewer, 2)]
    const before = (await viewer.get('/history')).body
    assertError(t, await viewer.remove('/history/'), 404, 404, 'Resource not found')
    assertError(t, await viewer.remove('/history/?x=1'), 404, 404, 'Resource not found')
    assertError(t, await viewer.put('/history/', { time: 1 }), 404, 404, 'The resource was not found')
    assertError(t, await viewer.get('/history/'), 404, 404, 'Resource not found')
    for (const url of ['/history//', `/history//${ids[0]}`, `/history/${ids[0]}/`, '//history', '/history/%2F'])
      t.equal((await viewer.remove(url)).statusCode, 404, url)
    t.ok([404, 405].includes((await viewer.post('/history/', { content_id: 3 })).statusCode))
    t.equal((await viewer.get('/history')).body, before)
  })

  t.test('filters', async t => {
    const viewer = await viewerOf(app)
    const ids = (answer: Answer) => collectionOf(answer).map(({ content_id }: { content_id: number }) => content_id)
    const seen: [number, number, number][] = [
      [1, 0, 0],
      [2, 10, 0],
      [3, 0, 10],
      [4, 10, 89.99],
      [5, 10, 90],
      [6, 0, 100]
    ]
    for (const [i, [content_id, time, percentage]] of seen.entries())
      await watch(viewer, content_id, { time, percentage, observed_at: `2024-05-06T07:08:0${i}Z` })

    const table: [string, number[]][] = [
      ['', [6, 5, 4, 3, 2, 1]],
      ['status=completed', [6, 5]],
      ['status=in_progress', [4, 3, 2]],
      ['content_id=3', [3]],
      ['content_id=3,1', [3, 1]],
      ['content_id=3,3', [3]],
      ['content_id=3&content_id=1', [3, 1]],
      ['content_id=1,5,4,777', [5, 4, 1]],
      ['content_id=777', []],
      ['content_id=0', []],
      ['content_id=1,5,4&status=completed', [5]],
      ['content_id=1,5,4&status=in_progress', [4]],
      ['content_id=1&status=in_progress', []],
      ['whatever=1&_id=7&user_id=1&time=3', [6, 5, 4, 3, 2, 1]]
    ]
    for (const [query, expected] of table) {
      const answer = await viewer.get(`/history?${query}`)
      t.strictSame(ids(answer), expected, query)
      t.equal(answer.json().data.meta.total_count, expected.length, query)
    }
    const paged = await viewer.get('/history?status=in_progress&perPage=2&page=2')
    t.strictSame(ids(paged), [2])
    t.match(paged.json().data.meta, { page: 2, next_page: false, prev_page: 1, total_pages: 2, total_count: 3 })

    for (const [query, field] of [
      ...['x', '', '1,', ',1', '1,,2', '1,x', '-1', '1.5', '0x1', '1e2', '%2B1', '9'.repeat(400), '1;2', '1,%202'].map(value => [
        `content_id=${value}`,
        'content_id'
      ]),
      ...['', 'done', 'COMPLETED', 'completed,in_progress', '1', 'null'].map(value => [`status=${value}`, 'status']),
      ['status=completed&status=completed', 'status']
    ] as [string, string][])
      assertRefused(t, await viewer.get(`/history?${query}`), field, query.slice(0, 40))
  })

  t.test('the percentage of a completion is a setting', async t => {
    const half = await buildWith(t, { contents }, { settings: { COMPLETED_AT: '50' } })
    const viewer = await viewerOf(half)
    for (const [content_id, percentage] of [
      [3, 49.999],
      [4, 50],
      [5, 89]
    ] as [number, number][])
      await watch(viewer, content_id, { percentage })
    const ids = async (status: string) =>
      collectionOf(await viewer.get(`/history?status=${status}`))
        .map(({ content_id }: { content_id: number }) => content_id)
        .sort()
    t.strictSame([await ids('completed'), await ids('in_progress')], [[4, 5], [3]])
  })

  t.test('meta is right at every boundary', async t => {
    const viewer = await viewerOf(app)
    t.strictSame((await viewer.get('/history')).json().data, { collection: [], meta: emptyMeta })
    t.strictSame(
      (await viewer.get('/history?page=3&perPage=7')).json().data.meta,
      { ...emptyMeta, page: 3, per_page: 7 },
      'an empty history'
    )
    for (const id of [1, 2, 3, 4, 5]) await watch(viewer, id, { observed_at: `2024-05-06T07:08:0${id}Z` })
    for (const meta of metaOfFive) {
      const answer = await viewer.get(`/history?page=${meta.page}&perPage=${meta.per_page}`)
      t.strictSame(answer.json().data?.meta, meta, `page ${meta.page} of ${meta.per_page}`)
      const from = (meta.page - 1) * meta.per_page
      t.strictSame(
        collectionOf(answer).map(({ content_id }: { content_id: number }) => content_id),
        [5, 4, 3, 2, 1].slice(from, from + meta.per_page)
      )
    }
  })

  for (const [query, field] of badQueries)
    t.test(`refuses ${query.slice(0, 30)}`, async t => {
      const viewer = await viewerOf(app)
      const answer = await viewer.get(`/history?${query}`)
      if (field) assertRefused(t, answer, field, query)
      else t.equal(answer.statusCode, 200, 'an unknown parameter is ignored')
    })

  t.test('is in the order of watching, and paging over equal moments shows each element once', async t => {
    const viewer = await viewerOf(app)
    const big = await buildWith(t, { contents: Array.from({ length: 60 }, (_, i) => film(i + 1)) })
    const own = await viewerOf(big)
    const elements = Array.from({ length: 60 }, (_, i) =>
      historyDocument({ _id: new ObjectId(), user_id: own.id, content_id: i + 1, updated_at: new Date(1.7e12 + (i % 3)) })
    )
    await databaseOf(big)
      .collection<HistoryDocument>('history')
      .insertMany(elements.toSorted(() => Math.random() - 0.5))
    const all = elements
      .toSorted((a, b) => b.updated_at.getTime() - a.updated_at.getTime() || (b._id.toHexString() < a._id.toHexString() ? -1 : 1))
      .map(({ _id }) => _id.toHexString())
    for (const perPage of [1, 7, 19, 20, 21, 59, 60, 100]) {
      const pages = await allPages(own, '/history', perPage)
      const ids = pages.flatMap(({ collection }) => collection.map(({ _id }: { _id: string }) => _id))
      t.equal(pages.length, Math.ceil(60 / perPage))
      t.equal(new Set(ids).size, 60, 'each id once')
      t.strictSame(ids, all, 'newest first, ties by id')
    }
    const some = elements.filter((_, i) => i % 3 === 0).slice(0, 4)
    const filter = `content_id=${some.map(({ content_id }) => content_id).join()}`
    const pages = await Promise.all([1, 2].map(page => own.get(`/history?${filter}&perPage=2&page=${page}`)))
    t.strictSame(
      pages.flatMap(collectionOf).map(({ _id }) => _id),
      some.map(({ _id }) => _id.toHexString()).reverse(),
      'also with a filter'
    )

    await watch(viewer, 1, { observed_at: '2024-01-01T00:00:00Z' })
    await watch(viewer, 2, { observed_at: '2024-01-03T00:00:00Z' })
    await watch(viewer, 3, { observed_at: '2024-01-02T00:00:00Z' })
    const order = async () => collectionOf(await viewer.get('/history')).map(({ content_id }: { content_id: number }) => content_id)
    t.strictSame(await order(), [2, 3, 1])
    await watch(viewer, 1)
    t.strictSame(await order(), [1, 2, 3], 'a new report moves an element to the front')
  })

  t.test('observed_at', async t => {
    t.test('an older one changes nothing and is answered as usual', async t => {
      const viewer = await viewerOf(app)
      const id = await watch(viewer, 1, { time: 10, percentage: 20, observed_at: at })
      const before = (await viewer.get(`/history/${id}`)).body
      const post = await viewer.post('/history', { content_id: 1, time: 1, percentage: 1, observed_at: earlier })
      assertDone(t, post, 201)
      t.equal(post.headers.location, `/history/${id}`)
      t.equal((await viewer.get(`/history/${id}`)).body, before)
      assertDone(t, await viewer.put(`/history/${id}`, { time: 1, percentage: 1, observed_at: earlier }), 200)
      assertDone(t, await viewer.put(`/history/${id}`, { time: 1, observed_at: '1970-01-01T00:00:00Z' }), 200)
      t.equal((await viewer.get(`/history/${id}`)).body, before)
    })

    t.test('an equal and a newer one count', async t => {
      const viewer = await viewerOf(app)
      const id = await watch(viewer, 1, { time: 10, percentage: 20, observed_at: at })
      await watch(viewer, 1, { time: 1, observed_at: at })
      t.strictSame(await progressOf(viewer, id), { time: 1, percentage: 20, created_at: wireAt, updated_at: wireAt })
      await viewer.put(`/history/${id}`, { percentage: 0, observed_at: at })
      t.strictSame(await progressOf(viewer, id), { time: 1, percentage: 0, created_at: wireAt, updated_at: wireAt })
      await watch(viewer, 1, { time: 0, observed_at: later })
      t.strictSame(await progressOf(viewer, id), { time: 0, percentage: 0, created_at: wireAt, updated_at: later.replace('Z', '000Z') })
    })

    t.test('one in the future counts as now', async t => {
      const viewer = await viewerOf(app)
      const before = Date.now()
      const id = await watch(viewer, 1, { time: 1, observed_at: '2099-01-01T00:00:00Z' })
      const made = await progressOf(viewer, id)
      t.equal(made.created_at, made.updated_at)
      t.ok(Date.parse(made.updated_at) >= before && Date.parse(made.updated_at) <= Date.now())
      await watch(viewer, 1, { time: 2 })
      t.match(await progressOf(viewer, id), { time: 2 }, 'and does not block later reports')
      await viewer.put(`/history/${id}`, { time: 3, observed_at: '9999-12-31T23:59:59Z' })
      const moved = await progressOf(viewer, id)
      t.equal(moved.time, 3)
      t.ok(Date.parse(moved.updated_at) <= Date.now())
      t.equal(moved.created_at, made.created_at)
    })

    t.test('a late one on an element of now changes nothing, and created_at stays', async t => {
      const viewer = await viewerOf(app)
      const id = await watch(viewer, 1, { time: 8 })
      const before = (await viewer.get(`/history/${id}`)).body
      await watch(viewer, 1, { time: 9, observed_at: at })
      t.equal((await viewer.get(`/history/${id}`)).body, before)
    })

    t.test('a removed element is created again, but not by a report from before its removal', async t => {
      const viewer = await viewerOf(app)
      const old = await watch(viewer, 1, { time: 8, percentage: 9 })
      await viewer.remove(`/history/${old}`)
      const late = await viewer.post('/history', { content_id: 1, time: 3, observed_at: at })
      assertDone(t, late, 201)
      t.equal(late.headers.location, undefined)
      t.strictSame(collectionOf(await viewer.get('/history')), [])
      const id = await watch(viewer, 1, { time: 3 })
      t.match(await progressOf(viewer, id), { time: 3, percentage: 0 })
      t.not(id, old)
      assertError(t, await viewer.put(`/history/${old}`, { time: 1 }), 404, 404, 'The resource was not found')
    })

    const forms: [string, string][] = [
      ['2024-05-06T07:08:09Z', '2024-05-06T07:08:09.000000Z'],
      ['2024-05-06t07:08:09z', '2024-05-06T07:08:09.000000Z'],
      ['2024-05-06 07:08:09Z', '2024-05-06T07:08:09.000000Z'],
      ['2024-05-06T07:08:09.1Z', '2024-05-06T07:08:09.100000Z'],
      ['2024-05-06T07:08:09.12Z', '2024-05-06T07:08:09.120000Z'],
      ['2024-05-06T07:08:09.123000Z', '2024-05-06T07:08:09.123000Z'],
      ['2024-05-06T07:08:09.123000000000Z', '2024-05-06T07:08:09.123000Z'],
      ['2024-05-06T07:08:09+00:00', '2024-05-06T07:08:09.000000Z'],
      ['2024-05-06T07:08:09-00:00', '2024-05-06T07:08:09.000000Z'],
      ['2024-05-06T09:08:09.5+02:00', '2024-05-06T07:08:09.500000Z'],
      ['2024-05-05T21:38:09-09:30', '2024-05-06T07:08:09.000000Z'],
      ['2024-05-07T07:07:09+23:59', '2024-05-06T07:08:09.000000Z'],
      ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000000Z'],
      ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999000Z'],
      ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000000Z'],
      ['2016-12-31T23:59:59Z', '2016-12-31T23:59:59.000000Z']
    ]
    for (const [form, moment] of forms)
      t.test(`reads ${form}`, async t => {
        const viewer = await viewerOf(app)
        const id = await watch(viewer, 1, { observed_at: form })
        t.match(await progressOf(viewer, id), { created_at: moment, updated_at: moment })
      })

    t.test('reads a leap second, which RFC 3339 has', async t => {
      const viewer = await viewerOf(app)
      const answer = await viewer.post('/history', { content_id: 1, observed_at: '2016-12-31T23:59:60Z' })
      t.equal(answer.statusCode, 201)
      t.match(collectionOf(await viewer.get('/history'))[0]?.updated_at, /^(2016-12-31T23:59:59|2017-01-01T00:00:00)\.\d{6}Z$/)
    })

    t.test('whatever it is, the answer is in the form of a timestamp', async t => {
      for (const observed_at of ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00+23:59', '0000-02-29T00:00:00Z']) {
        const viewer = await viewerOf(app)
        const answer = await viewer.post('/history', { content_id: 1, observed_at })
        if (answer.statusCode === 400) continue
        t.match(collectionOf(await viewer.get('/history'))[0].updated_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/, observed_at)
      }
    })
  })

  t.test('refuses bad input', async t => {
    const bad: Record<string, string[]> = {
      content_id: ['"1"', 'null', 'true', 'false', '[1]', '{}', '{"$gt":0}', '1.5', '0', '-1', '1e400', '-1e400', '""', '"abc"', '0.9999'],
      time: ['-1', '-0.001', '-1e-300', '1e400', '-1e400', '"5"', '""', 'null', 'true', 'false', '[1]', '[]', '{}', '{"$inc":1}'],
      percentage: ['-1', '-0.01', '100.01', '100.0000001', '101', '1e400', '-1e400', '"50"', 'null', 'true', 'false', '[50]', '{}'],
      observed_at: [
        ...['5', '1717171717', 'null', 'true', '[]', '{}', '["2024-05-06T07:08:09Z"]'],
        ...[
          '',
          'now',
          '1717171717',
          '2024-05-06',
          '2024-05-06T07:08:09',
          '2024-05-06T07:08Z',
          '2024-05-06T07:08:09.Z',
          '2024-05-06T07:08:09,5Z',
          '2024-05-06T07:08:09+02',
          '2024-05-06T07:08:09+0200',
          '2024-05-06T07:08:09+24:00',
          '2024-05-06T07:08:09+02:60',
          '2024-05-06T07:08:09 +02:00',
          '2024-05-06T07:08:09 UTC',
          '2024-5-6T07:08:09Z',
          '20240506T070809Z',
          '2024-02-30T07:08:09Z',
          '2023-02-29T07:08:09Z',
          '2024-04-31T07:08:09Z',
          '2024-00-06T07:08:09Z',
          '2024-13-06T07:08:09Z',
          '2024-05-00T07:08:09Z',
          '2024-05-32T07:08:09Z',
          '2024-05-06T24:00:00Z',
          '2024-05-06T25:08:09Z',
          '2024-05-06T07:60:09Z',
          '2024-05-06T07:08:61Z',
          '24-05-06T07:08:09Z',
          '+002024-05-06T07:08:09Z',
          '-002024-05-06T07:08:09Z',
          '12024-05-06T07:08:09Z',
          ' 2024-05-06T07:08:09Z',
          '2024-05-06T07:08:09Z ',
          '2024-05-06T07:08:09Z\n',
          '2024-05-06_07:08:09Z',
          'Mon, 06 May 2024 07:08:09 GMT',
          '２０２４-05-06T07:08:09Z'
        ].map(text => JSON.stringify(text))
      ]
    }
    const viewer = await viewerOf(app)
    const kept = await watch(viewer, 2, { time: 4, percentage: 5, observed_at: at })
    const before = (await viewer.get('/history')).body
    const unchanged = async (t: Test) => t.equal((await viewer.get('/history')).body, before, 'nothing was changed')

    for (const [field, values] of Object.entries(bad))
      t.test(`of ${field}`, async t => {
        for (const value of values) {
          const body = field === 'content_id' ? `{"content_id":${value},"time":1}` : `{"content_id":1,"time":1,"${field}":${value}}`
          const posted = await viewer.post('/history', body)
          assertRefused(t, posted, field, `POST ${field}: ${value}`)
          if (posted.statusCode === 201) await viewer.remove(String(posted.headers.location))
          if (field === 'content_id') continue
          const other = field === 'time' ? 'percentage' : 'time'
          assertRefused(t, await viewer.put(`/history/${kept}`, `{"${other}":1,"${field}":${value}}`), field, `PUT ${field}: ${value}`)
        }
        await unchanged(t)
      })

    t.test('of every field at once, each named', async t => {
      const { message, ...body } = (
        await viewer.post('/history', { content_id: '1', time: '1', percentage: -1, observed_at: 'x', more: 1 })
      ).json()
      t.strictSame(
        body.errors.map(({ field }: { field: string }) => field).sort(),
        ['content_id', 'observed_at', 'percentage', 'time'],
        message
      )
    })

    t.test('PUT without time and percentage', async t => {
      for (const body of ['{}', '{"observed_at":"2025-01-01T00:00:00Z"}', '{"Time":1}', '{"content_id":1}', '{"time ":1}']) {
        const answer = await viewer.put(`/history/${kept}`, body)
        t.equal(answer.statusCode, 400, body)
        t.match(
          answer.json(),
          { success: false, code: 400, message: /time.*percentage|percentage.*time/, errors: [{ message: /\w/ }] },
          body
        )
      }
      await unchanged(t)
    })

    t.test('a missing content_id is reported before any other error', async t => {
      const message = "'The content ID was not provided"
      for (const body of [
        undefined,
        '',
        '{}',
        '{"time":-1}',
        '{"time":"x","percentage":101,"observed_at":5}',
        '{"contentId":1}',
        '{"Content_id":1}'
      ])
        assertError(t, await viewer.post('/history', body), 400, 400, message, body)
      assertError(
        t,
        await viewer.post('/history', '', { 'content-type': 'application/json', format: 'application/json' }),
        400,
        400,
        message
      )
      await unchanged(t)
    })

    t.test('bodies that are no objects, or no JSON', async t => {
      const bodies = [
        ...['[]', '[{"content_id":1,"time":1}]', '"content_id"', 'null', 'true', '1', '{', '{"content_id":1,}', 'content_id=1', 'NaN'],
        ...['{"content_id":1,"time":NaN}', '{"content_id":1,"time":Infinity}', "{'content_id':1}", '{"content_id":01}', '\u0000']
      ]
      for (const body of bodies) {
        const posted = await viewer.post('/history', body)
        t.equal(posted.statusCode, 400, `POST ${body}`)
        t.match(posted.json(), { success: false, code: 400, message: /\w+ \w+/ }, body)
        const put = await viewer.put(`/history/${kept}`, body)
        t.equal(put.statusCode, 400, `PUT ${body}`)
        t.match(put.json(), { success: false, code: 400, message: /\w+ \w+/ }, body)
      }
      for (const body of [undefined, 'null', '[]', '5']) {
        const put = await viewer.put(`/history/${kept}`, body)
        t.match([put.statusCode, put.json()], [400, { success: false, code: 400, message: 'body must be an object' }], `PUT ${body}`)
      }
      await unchanged(t)
    })

    t.test('bodies of more than 64 KiB', async t => {
      const body = JSON.stringify({ content_id: 1, time: 1, pad: 'x'.repeat(70_000) })
      for (const answer of [
        await viewer.post('/history', body),
        await viewer.put(`/history/${kept}`, body),
        await viewer.remove('/history', body),
        await viewer.remove(`/history/${kept}`, body)
      ]) {
        t.equal(answer.statusCode, 413)
        t.strictSame(Object.keys(answer.json()), ['success', 'code', 'message'])
        t.match(answer.json(), { success: false, code: 413, message: /\w/ })
      }
      await unchanged(t)
    })

    for (const [what, id] of notToBeAdded)
      t.test(`a content that is ${what}`, async t => {
        assertError(t, await viewer.post('/history', { content_id: id, time: 1 }), 400, 404, "'The content was not found")
        await unchanged(t)
      })

    t.test('a content that is closed in the country', async t => {
      for (const [country, content_id, isOpen] of countryCases) {
        const abroad = await viewerOf(app, country === undefined ? {} : { 'cf-ipcountry': country })
        const answer = await abroad.post('/history', { content_id })
        if (isOpen) assertDone(t, answer, 201, `${content_id} in ${country}`)
        else assertError(t, answer, 400, 404, "'The content was not found", `${content_id} in ${country}`)
        t.equal(collectionOf(await abroad.get('/history')).length, isOpen ? 1 : 0)
      }
      const traveller = await viewerOf(app)
      const id = await watch(traveller, 23, { time: 1 })
      const there = { 'cf-ipcountry': 'DE' }
      t.equal((await traveller.get(`/history/${id}`, undefined, there)).statusCode, 200, 'an existing element is visible everywhere')
      t.equal(collectionOf(await traveller.get('/history', undefined, there)).length, 1)
      assertDone(t, await traveller.put(`/history/${id}`, { time: 2 }, there), 200)
    })

    t.test('an invalid id is not found', async t => {
      for (const id of [...noId, 'a'.repeat(24), kept.toUpperCase(), `${kept}0`, kept.slice(1), `${kept}%20`].filter(id => id !== kept)) {
        const what = id.slice(0, 40)
        assertError(t, await viewer.get(`/history/${id}`), 404, 404, 'Resource not found', `GET ${what}`)
        assertError(t, await viewer.get(`/watchlist/${id}`), 404, 404, 'Resource not found', `GET watchlist ${what}`)
        assertError(t, await viewer.put(`/history/${id}`, { time: 1 }), 404, 404, 'The resource was not found', `PUT ${what}`)
        assertError(t, await viewer.remove(`/history/${id}`), 404, 404, 'Resource not found', `DELETE ${what}`)
      }
      await unchanged(t)
    })

    t.test('malformed percent-encoding', async t => {
      for (const id of ['%', '%zz', '%C3', '%E0%80%80']) {
        const answer = await viewer.remove(`/history/${id}`)
        t.ok([400, 404].includes(answer.statusCode), id)
        t.match(answer.json(), { success: false, code: answer.statusCode, message: /\w/ })
      }
      await unchanged(t)
    })

    t.test('but unknown fields are ignored and not kept', async t => {
      const body = {
        ...{ content_id: 3, time: 2, _id: 'x', user_id: 1, created_at: '2000-01-01T00:00:00Z', updated_at: 7, $set: { time: 9 }, more: [] },
        padding: 'x'.repeat(60_000)
      }
      assertDone(t, await viewer.post('/history', body), 201)
      const document = await stored.findOne({ user_id: viewer.id, content_id: 3 })
      t.strictSame(Object.keys(document ?? {}).sort(), ['_id', 'content_id', 'created_at', 'percentage', 'time', 'updated_at', 'user_id'])
      t.match(document, { time: 2, percentage: 0, user_id: viewer.id })
      await viewer.put(`/history/${document?._id.toHexString()}`, { time: 3, user_id: 1, content_id: 1 })
      t.match(await stored.findOne({ _id: document?._id as ObjectId }), { time: 3, user_id: viewer.id, content_id: 3 })
    })

    t.test('and a body is JSON whatever its content type says', async t => {
      const other = await viewerOf(app)
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/octet-stream',
        'no type',
        'multipart/form-data; boundary=x',
        'application/json; charset=utf-8',
        ''
      ])
        assertDone(t, await other.post('/history', '{"content_id":1}', { 'content-type': type, format: 'application/json' }), 201, type)
    })
  })

  t.test('existence before ownership: nothing of another user is shown or changed', async t => {
    const [a, b] = [await viewerOf(app), await viewerOf(app)]
    const mine = await watch(a, 1, { time: 1, observed_at: at })
    const theirs = [await watch(b, 1, { time: 2, observed_at: at }), await watch(b, 2), await watch(b, 3, { percentage: 95 })]
    const [before, cards] = [(await b.get('/history')).body, (await b.get('/continue-watching')).body]
    for (const id of theirs) {
      for (const answer of [
        await a.get(`/history/${id}`),
        await a.get(`/watchlist/${id}`),
        await a.put(`/history/${id}`, { time: 9, percentage: 9 }),
        await a.put(`/history/${id}`, { time: 9, observed_at: earlier }),
        await a.remove(`/history/${id}`)
      ])
        assertError(t, answer, 403, 403, 'Forbidden')
      assertError(
        t,
        await a.remove(`/watchlist/${id}`),
        404,
        404,
        'Watchlist element not found',
        'the id of a history element is no watchlist id'
      )
    }
    t.equal(collectionOf(await a.get('/history?content_id=1,2,3')).length, 1, 'filters apply to the user’s own elements')
    t.equal((await b.get('/history')).body, before)
    t.equal((await b.get('/continue-watching')).body, cards)
    await a.remove('/history')
    await a.remove('/watchlist')
    t.equal((await b.get('/history')).body, before, 'DELETE without an id removes only the user’s own elements')
    assertError(t, await b.get(`/history/${mine}`), 404, 404, 'Resource not found', 'a removed element belongs to nobody')
    assertError(t, await b.put(`/history/${mine}`, { time: 1 }), 404, 404, 'The resource was not found')
    assertError(t, await b.remove(`/history/${mine}`), 404, 404, 'Resource not found')
  })

  t.test('wants a token, whatever else is wrong', async t => {
    const viewer = await viewerOf(app)
    const id = await watch(viewer, 1, { observed_at: at })
    const before = (await viewer.get('/history')).body
    await wantToken(t, app, viewer.headers.authorization, [
      ['GET', '/history'],
      ['GET', '/history?perPage=x'],
      ['POST', '/history', '{"content_id":1}'],
      ['POST', '/history', '{'],
      ['POST', '/history'],
      ['POST', '/history', JSON.stringify({ pad: 'x'.repeat(70_000) })],
      ['DELETE', '/history'],
      ['DELETE', '/history/'],
      ['GET', `/history/${id}`],
      ['GET', '/history/x'],
      ['GET', `/watchlist/${id}`],
      ['PUT', `/history/${id}`, '{"time":1}'],
      ['PUT', `/history/${id}`, '{}'],
      ['DELETE', `/history/${id}`]
    ])
    t.equal((await viewer.get('/history')).body, before)
  })

  t.test('errors on a viewer’s paths are not to be kept by caches either', async t => {
    const viewer = await viewerOf(app)
    for (const answer of [
      await viewer.get('/history/x'),
      await viewer.get('/history?page=0'),
      await viewer.post('/history', {}),
      await app.inject('/history')
    ])
      t.match(String(answer.headers['cache-control']), /no-store/, answer.body)
  })
})

t.test('a history on an empty catalogue', async t => {
  const app = await build(t)
  const viewer = await viewerOf(app)
  assertError(t, await viewer.post('/history', { content_id: 1 }), 400, 404, "'The content was not found")
  t.equal((await viewer.get('/history')).body, JSON.stringify({ success: true, data: { collection: [], meta: emptyMeta } }))
})

t.test('a content opens and closes by the clock', async t => {
  const turn = new Date(Date.now() + 1000)
  const app = await buildWith(t, { contents: [content(1, { start_date: turn }), content(2, { end_date: turn })] })
  const viewer = await viewerOf(app)
  const attempt = async (content_id: number) => {
    const before = Date.now()
    const { statusCode } = await viewer.post('/history', { content_id })
    return { statusCode, before, after: Date.now() }
  }
  let wrong = 0
  await until(async () => {
    const [opening, closing] = [await attempt(1), await attempt(2)]
    if (opening.statusCode === 201 ? opening.after < turn.getTime() : opening.before > turn.getTime()) wrong++
    if (closing.statusCode === 201 ? closing.before > turn.getTime() : closing.after < turn.getTime()) wrong++
    return closing.after > turn.getTime() + 100
  })
  t.equal(wrong, 0)
  t.strictSame([(await attempt(1)).statusCode, (await attempt(2)).statusCode], [201, 400])
})
