import t, { type Test } from 'tap'
import type { ContentDocument } from '../../src/catalogue/content-documents.js'
import type { HiddenDocument } from '../../src/viewing/hidden.js'
import { type Answer, assertRefused, collectionOf } from '../helpers/answers.js'
import { buildWith } from '../helpers/app.js'
import { change, databaseOf } from '../helpers/database.js'
import { content, episode, film, rich, term } from '../helpers/documents.js'
import { tick, until } from '../helpers/until.js'
import { allPages, type Viewer, viewerOf, watch } from '../helpers/viewer.js'
import { crowdOf, firstOfCrowd, idsFor, recommendedTo, span, taught, views } from '../recommendations/helper.js'
import { assertDone, assertError, badQueries, closed, emptyMeta, metaOfFive, notInUs, wantToken, wire } from './helper.js'

const season = (id: number, parent_id: number) => content(id, { type: 'season', parent_id })
const show = rich(100, { countries_include: null, countries_exclude: null, terms: [1] })

// Films 1 to 8 and the show 100 are watched by the same viewers. Film 201 has the terms of film 200. Nobody has watched them.
const contents: ContentDocument[] = [
  ...span(1, 8).map(id => film(id)),
  show,
  season(110, 100),
  episode(111, 110, { position: 1 }),
  episode(112, 110, { position: 2 }),
  film(200, { terms: [2], weight: 1 }),
  film(201, { terms: [2], weight: 2 }),
  film(202, { weight: 3 }),
  film(203, { weight: 4 }),
  ...Object.values(closed),
  notInUs,
  ...span(301, 360).map(id => film(id))
]
const completed = { time: 3000, percentage: 95 }
const begun = { time: 600, percentage: 20 }

const hide = async (viewer: Viewer, ...ids: number[]) => {
  for (const id of ids) {
    const answer = await viewer.put(`/hidden/${id}`)
    if (answer.statusCode !== 200) throw new Error(answer.body)
    await tick()
  }
}
const contentIds = (answer: Answer): number[] => collectionOf(answer).map(({ content_id }: { content_id: number }) => content_id)
const hiddenBy = async (viewer: Viewer) => contentIds(await viewer.get('/hidden?perPage=100'))
const cardsOf = async (viewer: Viewer): Promise<number[]> =>
  collectionOf(await viewer.get('/continue-watching?perPage=100')).map(({ content }: { content: { id: number } }) => content.id)
const assertNotFound = (t: Test, answer: Answer, what = '') => assertError(t, answer, 404, 404, 'Resource not found', what)

t.test('hidden titles', async t => {
  const app = await buildWith(t, { contents, terms: [term(1), term(2)] }, { settings: { COUNTRY_HEADER: 'cf-ipcountry' } })
  const stored = databaseOf(app).collection<HiddenDocument>('hidden')
  await views(
    app,
    crowdOf([...span(1, 8), 100], 1, firstOfCrowd).map(view => ({
      ...view,
      content_id: view.content_id === 100 ? 111 : view.content_id
    }))
  )
  await taught(app)

  t.test('PUT hides a title, and the list shows it in its whole wire form', async t => {
    const viewer = await viewerOf(app)
    const empty = await viewer.get('/hidden')
    t.equal(empty.body, JSON.stringify({ success: true, data: { collection: [], meta: emptyMeta } }))
    const before = Date.now()
    assertDone(t, await viewer.put('/hidden/100'), 200)
    const list = await viewer.get('/hidden')
    const [{ created_at }] = collectionOf(list)
    t.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000Z$/)
    t.ok(Date.parse(created_at) >= before && Date.parse(created_at) <= Date.now(), 'created_at is the current time')
    t.equal(list.statusCode, 200)
    t.equal(
      list.body,
      JSON.stringify({
        success: true,
        data: {
          collection: [{ content_id: 100, content: wire(show), created_at }],
          meta: { ...emptyMeta, total_pages: 1, total_count: 1 }
        }
      })
    )
    t.equal(list.headers['content-length'], String(Buffer.byteLength(list.body)))
    t.match(list.headers, { 'content-type': /^application\/json/, 'cache-control': 'private, no-store' })
  })

  t.test('PUT again changes nothing', async t => {
    const viewer = await viewerOf(app)
    await hide(viewer, 1, 2)
    const before = (await viewer.get('/hidden')).body
    assertDone(t, await viewer.put('/hidden/1'), 200)
    t.equal((await viewer.get('/hidden')).body, before)
  })

  t.test('a part of a show stands for the show', async t => {
    for (const id of [100, 110, 111, 112]) {
      const viewer = await viewerOf(app)
      assertDone(t, await viewer.put(`/hidden/${id}`), 200, `PUT ${id}`)
      t.strictSame(await hiddenBy(viewer), [100], `${id}`)
      assertDone(t, await viewer.remove(`/hidden/${111 + (id % 2)}`), 200, 'with the id of another episode')
      t.strictSame(await hiddenBy(viewer), [])
    }
  })

  t.test('DELETE shows that title alone, once', async t => {
    const viewer = await viewerOf(app)
    await hide(viewer, 1, 100)
    assertNotFound(t, await viewer.remove('/hidden/2'), 'a title that is not hidden')
    assertDone(t, await viewer.remove('/hidden/1'), 200)
    assertNotFound(t, await viewer.remove('/hidden/1'), 'a second time')
    t.strictSame(await hiddenBy(viewer), [100])
    await hide(viewer, 1)
    t.strictSame(await hiddenBy(viewer), [1, 100], 'a title that is hidden again is the newest')
  })

  t.test('a title that is not open to the user can be hidden', async t => {
    const viewer = await viewerOf(app, { 'cf-ipcountry': 'US' })
    const ids = [closed.deleted, closed.ended, notInUs].map(({ _id }) => _id)
    await hide(viewer, ...ids)
    t.strictSame(await hiddenBy(viewer), ids.toReversed())
    for (const id of ids) assertDone(t, await viewer.remove(`/hidden/${id}`), 200, `${id}`)
  })

  t.test('nothing else is stored or needed', async t => {
    const viewer = await viewerOf(app)
    for (const body of ['{"user_id":1,"created_at":"2001-01-01T00:00:00Z"}', '[]', 'null', '', undefined])
      assertDone(t, await viewer.put('/hidden/3', body), 200, body)
    const document = await stored.findOne({ user_id: viewer.id })
    t.strictSame(Object.keys(document ?? {}).sort(), ['_id', 'arrived_at', 'asked_at', 'content_id', 'created_at', 'user_id'])
    t.equal(document?.content_id, 3)
    assertDone(t, await viewer.remove('/hidden/3', '', { 'content-type': 'application/json' }), 200)
  })

  t.test('refuses bad input', async t => {
    const viewer = await viewerOf(app)
    await hide(viewer, 1)
    const before = (await viewer.get('/hidden')).body
    for (const id of [
      ...['9999', '0', '-1', '1.0', '%2B1', '01', '0x1', '1e0', 'abc', 'a'.repeat(24), '9'.repeat(400), '99999999999999999999'],
      ...['9007199254740991', '9007199254740993', '%00', '1%00', '1%20', '%2F', '1%2F', '1%0A', '%D9%A1', 'null', '', '1,2', '__proto__'],
      'x'.repeat(10_000)
    ]) {
      assertNotFound(t, await viewer.put(`/hidden/${id}`), `PUT ${id.slice(0, 30)}`)
      assertNotFound(t, await viewer.remove(`/hidden/${id}`), `DELETE ${id.slice(0, 30)}`)
    }
    const long = JSON.stringify({ pad: 'x'.repeat(70_000) })
    for (const answer of [await viewer.put('/hidden/2', long), await viewer.remove('/hidden/1', long)])
      t.match([answer.statusCode, answer.json()], [413, { success: false, code: 413 }])
    t.equal((await viewer.put('/hidden/2', '{')).statusCode, 400)
    for (const [method, url, allowed] of [
      ['POST', '/hidden', 'GET, HEAD'],
      ['DELETE', '/hidden', 'GET, HEAD'],
      ['GET', '/hidden/1', 'DELETE, PUT'],
      ['POST', '/hidden/1', 'DELETE, PUT']
    ] as const) {
      const answer = await app.inject({ method, url, headers: viewer.headers })
      t.strictSame([answer.statusCode, String(answer.headers.allow).split(', ').sort().join(', ')], [405, allowed], `${method} ${url}`)
    }
    for (const [query, field] of badQueries) {
      const answer = await viewer.get(`/hidden?${query}`)
      if (field) assertRefused(t, answer, field, query.slice(0, 30))
      else t.equal(answer.statusCode, 200, 'an unknown parameter is ignored')
    }
    t.equal((await viewer.get('/hidden')).body, before)
  })

  t.test('meta is right at every boundary', async t => {
    const viewer = await viewerOf(app)
    await hide(viewer, 1, 2, 3, 4, 5)
    for (const meta of metaOfFive) {
      const answer = await viewer.get(`/hidden?page=${meta.page}&perPage=${meta.per_page}`)
      t.strictSame(answer.json().data?.meta, meta, `page ${meta.page} of ${meta.per_page}`)
      const from = (meta.page - 1) * meta.per_page
      t.strictSame(contentIds(answer), [5, 4, 3, 2, 1].slice(from, from + meta.per_page))
    }
  })

  t.test('paging over equal moments shows each title once', async t => {
    const viewer = await viewerOf(app)
    const elements = span(301, 360).map((content_id, i) => ({ user_id: viewer.id, content_id, created_at: new Date(1.7e12 + (i % 3)) }))
    await stored.insertMany(elements as HiddenDocument[])
    const newestFirst = [2, 1, 0].flatMap(rest =>
      span(301, 360)
        .toReversed()
        .filter(id => (id - 301) % 3 === rest)
    )
    for (const perPage of [1, 7, 60, 100]) {
      const pages = await allPages(viewer, '/hidden', perPage)
      t.strictSame(
        pages.flatMap(({ collection }) => collection.map(({ content_id }: { content_id: number }) => content_id)),
        newestFirst
      )
    }
  })

  t.test('recommendations', async t => {
    t.test('leave it out, of what was learnt and of what is popular', async t => {
      const viewer = await viewerOf(app)
      for (const history of ['without a history', 'with one']) {
        const before = (await viewer.get('/recommendations?perPage=100')).body
        const ids = await idsFor(viewer)
        t.ok(
          [1, 100, 200].every(id => ids.includes(id)),
          history
        )
        for (const id of [1, 111, 200]) assertDone(t, await viewer.put(`/hidden/${id}`), 200)
        t.strictSame(
          (await idsFor(viewer)).toSorted(),
          ids.filter(id => ![1, 100, 200].includes(id)).toSorted(),
          `${history}: all other titles stay`
        )
        t.equal((await idsFor(viewer, '?perPage=20')).length, 20, 'other titles fill their places')
        for (const id of [1, 112, 200]) assertDone(t, await viewer.remove(`/hidden/${id}`), 200)
        t.equal((await viewer.get('/recommendations?perPage=100')).body, before, `${history}: all of them are back at once`)
        await watch(viewer, 2, completed)
      }
      t.match((await recommendedTo(viewer))[0], { reason: { type: 'watched', content_id: 2 } })
    })

    t.test('count nothing of its history', async t => {
      const [viewer, newcomer] = [await viewerOf(app), await viewerOf(app)]
      await watch(viewer, 112, completed)
      await watch(viewer, 111, completed)
      const before = await recommendedTo(viewer)
      t.match(before[0], { reason: { type: 'watched', content_id: 100 } })
      await hide(viewer, 100)
      await hide(newcomer, 100)
      t.strictSame(await recommendedTo(viewer), await recommendedTo(newcomer), 'as for a user without a history')
      await watch(viewer, 112, { percentage: 97 })
      t.strictSame(await recommendedTo(viewer), await recommendedTo(newcomer), 'what is watched of it later does not count either')
      const third = await watch(viewer, 3, completed)
      for (const { reason } of await recommendedTo(viewer)) t.ok(reason.type === 'popular' || reason.content_id === 3, 'nor is it a reason')
      await viewer.remove('/hidden/100')
      await viewer.remove(`/history/${third}`)
      t.match((await recommendedTo(viewer))[0], { reason: { type: 'watched', content_id: 100 } })
    })

    t.test('nor its terms', async t => {
      const viewer = await viewerOf(app)
      const first = async () => (await idsFor(viewer, '?perPage=100')).filter(id => id > 200)[0]
      t.equal(await first(), 203, 'the title with the greatest weight')
      await watch(viewer, 200, completed)
      t.equal(await first(), 201, 'the title with the same term')
      await hide(viewer, 200)
      t.equal(await first(), 203)
      t.notOk((await idsFor(viewer)).includes(200), 'the hidden title itself stays away')
    })
  })

  t.test('continue watching has no card of it, and counts none', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 111, completed)
    await watch(viewer, 1, begun)
    await watch(viewer, 2, begun)
    const before = (await viewer.get('/continue-watching')).body
    t.strictSame(await cardsOf(viewer), [2, 1, 112])
    await hide(viewer, 110, 2)
    t.strictSame(await cardsOf(viewer), [1])
    t.match((await viewer.get('/continue-watching?perPage=1')).json().data.meta, { total_count: 1, next_page: false })
    await watch(viewer, 112, { ...begun, observed_at: '2024-01-01T00:00:00Z' })
    t.strictSame(await cardsOf(viewer), [1], 'not even when more of it is watched')
    await viewer.remove(`/history/${collectionOf(await viewer.get('/history?content_id=112'))[0]._id}`)
    for (const id of [100, 2]) assertDone(t, await viewer.remove(`/hidden/${id}`), 200)
    t.equal((await viewer.get('/continue-watching')).body, before, 'everything is back at once')
  })

  t.test('history, watchlist and the catalogue show it on', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 111, begun)
    await viewer.post('/watchlist', { content_id: 100 })
    const paths = ['/history', '/watchlist', '/contents/100', '/contents?parent_id=110', '/contents?perPage=100']
    const bodies = () => Promise.all(paths.map(async path => (await viewer.get(path)).body))
    const before = await bodies()
    await hide(viewer, 100)
    t.strictSame(await bodies(), before)
    t.equal((await viewer.post('/history', { content_id: 111, time: 700 })).statusCode, 201)
  })

  t.test('nothing of another user is shown or changed', async t => {
    const [a, b] = [await viewerOf(app), await viewerOf(app)]
    await hide(b, 1, 100)
    await watch(b, 2, begun)
    await watch(a, 1, begun)
    const paths = ['/hidden', '/recommendations', '/continue-watching']
    const bodies = (viewer: Viewer) => Promise.all(paths.map(async path => (await viewer.get(path)).body))
    const before = await bodies(b)
    t.strictSame(await hiddenBy(a), [])
    t.strictSame(await cardsOf(a), [1])
    t.ok((await idsFor(a)).includes(100))
    for (const id of [1, 100, 111]) assertNotFound(t, await a.remove(`/hidden/${id}`), `hidden by another: ${id}`)
    await hide(a, 1, 2)
    assertDone(t, await a.remove('/hidden/1'), 200)
    t.strictSame(await bodies(b), before)
  })

  t.test('wants a token, whatever else is wrong', async t => {
    const viewer = await viewerOf(app)
    await hide(viewer, 1)
    await wantToken(t, app, viewer.headers.authorization, [
      ['GET', '/hidden'],
      ['GET', '/hidden?page=0'],
      ['PUT', '/hidden/2'],
      ['PUT', '/hidden/x'],
      ['PUT', '/hidden/2', '{'],
      ['DELETE', '/hidden/1'],
      ['DELETE', '/hidden/']
    ])
    t.strictSame(await hiddenBy(viewer), [1])
  })
})

t.test('a hidden title that became a part of a show', async t => {
  const app = await buildWith(t, { contents: [content(1), film(2), film(3)] })
  const viewer = await viewerOf(app)
  await watch(viewer, 2, begun)
  await hide(viewer, 2)
  await change(app, 'contents', 2, { parent_id: 1 })
  await until(async () => (await idsFor(viewer)).join() === '3')
  t.strictSame(await cardsOf(viewer), [], 'the show is hidden')
  t.strictSame(await hiddenBy(viewer), [2])
  assertDone(t, await viewer.remove('/hidden/2'), 200)
  t.strictSame(await hiddenBy(viewer), [])
  t.strictSame(await cardsOf(viewer), [2])
})
