import t, { type Test } from 'tap'
import type { ContentDocument } from '../../src/catalogue/content-documents.js'
import type { RatingDocument } from '../../src/viewing/ratings.js'
import { type Answer, assertRefused, collectionOf } from '../helpers/answers.js'
import { buildWith } from '../helpers/app.js'
import { change, databaseOf } from '../helpers/database.js'
import { content, episode, film, rich, term } from '../helpers/documents.js'
import { tick, until } from '../helpers/until.js'
import { type Viewer, viewerOf, watch } from '../helpers/viewer.js'
import {
  anybody,
  counted,
  crowdOf,
  firstOfCrowd,
  idsFor,
  type Recommended,
  recommendedTo,
  span,
  taught,
  views
} from '../recommendations/helper.js'
import { assertDone, assertError, badQueries, closed, emptyMeta, metaOfFive, wantToken, wire } from './helper.js'

const show = rich(100, { countries_include: null, countries_exclude: null, terms: [1] })

// Films 1 to 8 and the show 100 are watched by the same viewers, and films 11 to 18 by others. Film 201 has the terms of film 200. Nobody
// has watched these.
const contents: ContentDocument[] = [
  ...span(1, 8).map(id => film(id)),
  ...span(11, 18).map(id => film(id)),
  show,
  content(110, { type: 'season', parent_id: 100 }),
  episode(111, 110, { position: 1 }),
  episode(112, 110, { position: 2 }),
  film(200, { terms: [2], weight: 1 }),
  film(201, { terms: [2], weight: 2 }),
  film(202, { weight: 3 }),
  film(203, { weight: 4 }),
  ...Object.values(closed),
  ...span(301, 340).map(id => film(id))
]
const completed = { time: 3000, percentage: 95 }
const begun = { time: 600, percentage: 20 }
const longAgo = '2024-01-01T00:00:00Z'

const rate = async (viewer: Viewer, rating: string, ...ids: number[]) => {
  for (const id of ids) {
    const answer = await viewer.put(`/ratings/${id}`, { rating })
    if (answer.statusCode !== 200) throw new Error(answer.body)
    await tick()
  }
}
const like = (viewer: Viewer, ...ids: number[]) => rate(viewer, 'like', ...ids)
const dislike = (viewer: Viewer, ...ids: number[]) => rate(viewer, 'dislike', ...ids)

const ratingsBy = async (viewer: Viewer): Promise<[number, string][]> =>
  collectionOf(await viewer.get('/ratings?perPage=100')).map(({ content_id, rating }: RatingDocument) => [content_id, rating])
const cardsOf = async (viewer: Viewer): Promise<number[]> =>
  collectionOf(await viewer.get('/continue-watching?perPage=100')).map(({ content }: { content: { id: number } }) => content.id)
const assertNotFound = (t: Test, answer: Answer, what = '') => assertError(t, answer, 404, 404, 'Resource not found', what)
const reasonsOf = (list: Recommended[]) => list.map(({ reason }) => (reason.type === 'watched' ? reason.content_id : undefined))

t.test('ratings', async t => {
  const app = await buildWith(t, { contents, terms: [term(1), term(2)] })
  const stored = databaseOf(app).collection<RatingDocument>('ratings')
  const episodes = (view: { user_id: number; content_id: number }) => ({
    ...view,
    content_id: view.content_id === 100 ? 111 : view.content_id
  })
  await views(app, crowdOf([...span(1, 8), 100], 1, firstOfCrowd).map(episodes))
  await views(app, crowdOf(span(11, 18), 1, firstOfCrowd + 1000))
  await taught(app)

  t.test('PUT rates a title, and the list shows it in its whole wire form', async t => {
    const viewer = await viewerOf(app)
    t.equal((await viewer.get('/ratings')).body, JSON.stringify({ success: true, data: { collection: [], meta: emptyMeta } }))
    const before = Date.now()
    assertDone(t, await viewer.put('/ratings/111', { rating: 'like' }), 200)
    const list = await viewer.get('/ratings')
    const [{ created_at }] = collectionOf(list)
    t.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000Z$/)
    t.ok(Date.parse(created_at) >= before && Date.parse(created_at) <= Date.now(), 'created_at is the current time')
    t.equal(
      list.body,
      JSON.stringify({
        success: true,
        data: {
          collection: [{ content_id: 100, content: wire(show), rating: 'like', created_at }],
          meta: { ...emptyMeta, total_pages: 1, total_count: 1 }
        }
      })
    )
    t.match(list.headers, { 'content-type': /^application\/json/, 'cache-control': 'private, no-store' })
    const document = await stored.findOne({ user_id: viewer.id })
    t.strictSame(Object.keys(document ?? {}).sort(), [
      '_id',
      'arrived_at',
      'asked_at',
      'content_id',
      'created_at',
      'event',
      'rating',
      'user_id'
    ])
  })

  t.test('the same rating again changes nothing, another one is the newest', async t => {
    const viewer = await viewerOf(app)
    await like(viewer, 1, 2)
    const before = (await viewer.get('/ratings')).body
    assertDone(t, await viewer.put('/ratings/1', { rating: 'like', created_at: longAgo, user_id: 1 }), 200)
    t.equal((await viewer.get('/ratings')).body, before)
    await dislike(viewer, 1)
    t.strictSame(await ratingsBy(viewer), [
      [1, 'dislike'],
      [2, 'like']
    ])
  })

  t.test('a part of a show stands for the show, and DELETE removes one rating, once', async t => {
    const viewer = await viewerOf(app)
    for (const id of [100, 110, 111, 112]) {
      await like(viewer, id, 1)
      t.strictSame(await ratingsBy(viewer), [
        [1, 'like'],
        [100, 'like']
      ])
      assertDone(t, await viewer.remove(`/ratings/${111 + (id % 2)}`), 200, 'with the id of another episode')
      assertNotFound(t, await viewer.remove('/ratings/100'), 'a second time')
      t.strictSame(await ratingsBy(viewer), [[1, 'like']])
      await viewer.remove('/ratings/1')
    }
  })

  t.test('a title that is not open any more can be rated', async t => {
    const viewer = await viewerOf(app)
    const ids = [closed.deleted, closed.ended].map(({ _id }) => _id)
    await like(viewer, ...ids)
    const listed = (await ratingsBy(viewer)).map(([id]) => id)
    t.strictSame(listed, ids.toReversed())
    for (const id of ids) assertDone(t, await viewer.remove(`/ratings/${id}`), 200, `${id}`)
  })

  t.test('refuses bad input', async t => {
    const viewer = await viewerOf(app)
    await like(viewer, 1)
    const before = (await viewer.get('/ratings')).body
    for (const id of [
      ...['9999', '0', '-1', '1.0', '%2B1', '01', '0x1', '1e0', 'abc', 'a'.repeat(24), '9'.repeat(400), '9007199254740993'],
      ...['%00', '1%00', '1%20', '%2F', '%D9%A1', 'null', '', '1,2', '__proto__']
    ]) {
      assertNotFound(t, await viewer.put(`/ratings/${id}`, { rating: 'like' }), `PUT ${id.slice(0, 30)}`)
      assertNotFound(t, await viewer.remove(`/ratings/${id}`), `DELETE ${id.slice(0, 30)}`)
    }
    for (const rating of [
      5,
      0,
      1,
      true,
      null,
      '',
      'Like',
      'like ',
      'love',
      ['like'],
      { $ne: 'like' },
      '$rating',
      '\u{1F44D}',
      'x'.repeat(9000)
    ])
      assertRefused(t, await viewer.put('/ratings/2', { rating }), 'rating', JSON.stringify(rating).slice(0, 30))
    for (const body of [{}, { ratings: 'like' }]) {
      const answer = await viewer.put('/ratings/1', body)
      t.match(
        [answer.statusCode, answer.json()],
        [400, { success: false, code: 400, errors: [{ field: 'rating', message: 'is required' }] }]
      )
    }
    for (const body of [undefined, '', '[]', 'null', '5', '"like"', '{'])
      t.equal((await viewer.put('/ratings/2', body)).statusCode, 400, `${body}`)
    t.equal((await viewer.put('/ratings/2', { rating: 'like', pad: 'x'.repeat(70_000) })).statusCode, 413)
    for (const [method, url, allowed] of [
      ['POST', '/ratings', 'GET, HEAD'],
      ['DELETE', '/ratings', 'GET, HEAD'],
      ['GET', '/ratings/1', 'DELETE, PUT'],
      ['POST', '/ratings/1', 'DELETE, PUT']
    ] as const) {
      const answer = await app.inject({ method, url, headers: viewer.headers })
      t.strictSame([answer.statusCode, String(answer.headers.allow).split(', ').sort().join(', ')], [405, allowed], `${method} ${url}`)
    }
    for (const [query, field] of badQueries) if (field) assertRefused(t, await viewer.get(`/ratings?${query}`), field, query.slice(0, 30))
    t.equal((await viewer.get('/ratings')).body, before)
  })

  t.test('meta is right at every boundary', async t => {
    const viewer = await viewerOf(app)
    await like(viewer, 1, 2, 3)
    await dislike(viewer, 4, 5)
    for (const meta of metaOfFive) {
      const answer = await viewer.get(`/ratings?page=${meta.page}&perPage=${meta.per_page}`)
      t.strictSame(answer.json().data?.meta, meta, `page ${meta.page} of ${meta.per_page}`)
      const from = (meta.page - 1) * meta.per_page
      const ids = collectionOf(answer).map(({ content_id }: RatingDocument) => content_id)
      t.strictSame(ids, [5, 4, 3, 2, 1].slice(from, from + meta.per_page))
    }
  })

  t.test('a liked title', async t => {
    // What is popular must not change in the middle of a test.
    t.beforeEach(() => counted(app))

    t.test('counts as if it had been completed, and may be recommended until it is begun', async t => {
      const [liking, watching] = [await viewerOf(app), await viewerOf(app)]
      await like(liking, 112)
      await watch(watching, 112, completed)
      const liked = await recommendedTo(liking)
      const expected = await recommendedTo(watching)
      t.strictSame(
        liked.filter(({ id }) => id !== 100).map(({ id, reason }) => ({ id, reason })),
        expected.map(({ id, reason }) => ({ id, reason }))
      )
      t.match(liked[0]?.reason, { type: 'watched', content_id: 100 })
      t.ok(liked.some(({ id }) => id === 100))
      for (const { id, reason } of liked) t.notOk(reason.type === 'watched' && reason.content_id === id, 'no title is its own reason')
      await watch(liking, 111, { time: 1 })
      t.notOk((await idsFor(liking)).includes(100), 'once begun it is no longer recommended')
      t.match((await recommendedTo(liking))[0]?.reason, { type: 'watched', content_id: 100 }, 'but still counts in full')
    })

    t.test('has its place among what was watched by the moment of the rating', async t => {
      const home = async (viewer: Viewer) => {
        const { rows } = (await viewer.get('/home?items=5')).json().data
        return rows.flatMap(({ kind, because }: { kind: string; because: { content_id: number } }) =>
          kind === 'because' ? because.content_id : []
        )
      }
      const viewer = await viewerOf(app)
      await watch(viewer, 1, { ...completed, observed_at: longAgo })
      await like(viewer, 11)
      t.strictSame(await home(viewer), [11, 1], 'rated after that')
      await watch(viewer, 1, completed)
      t.strictSame(await home(viewer), [1, 11], 'watched after the rating')
      await like(viewer, 12)
      t.strictSame(await home(viewer), [12, 1])
      await dislike(viewer, 11, 12)
      t.strictSame(await home(viewer), [1])
    })

    t.test('counts by its terms, too', async t => {
      const viewer = await viewerOf(app)
      const first = async () => (await idsFor(viewer)).find(id => id > 200 && id < 300)
      t.equal(await first(), 203)
      await like(viewer, 200)
      t.equal(await first(), 201, 'the title with the same term')
      await viewer.remove('/ratings/200')
      t.equal(await first(), 203)
    })

    t.test('counts for nothing while it is hidden', async t => {
      const [viewer, newcomer] = [await viewerOf(app), await viewerOf(app)]
      await like(viewer, 1)
      for (const each of [viewer, newcomer]) await each.put('/hidden/1')
      t.strictSame(await recommendedTo(viewer), await recommendedTo(newcomer))
      await viewer.remove('/hidden/1')
      t.ok(reasonsOf(await recommendedTo(viewer)).includes(1))
    })
  })

  t.test('a disliked title', async t => {
    // What is popular must not change in the middle of a test.
    t.beforeEach(() => counted(app))

    t.test('is not proposed, and nothing of it counts', async t => {
      const [viewer, newcomer] = [await viewerOf(app), await viewerOf(app)]
      await watch(viewer, 111, completed)
      t.match((await recommendedTo(viewer))[0]?.reason, { type: 'watched', content_id: 100 })
      const before = await recommendedTo(newcomer)
      for (const each of [viewer, newcomer]) await dislike(each, 112, 203)
      t.strictSame(await recommendedTo(viewer), await recommendedTo(newcomer), 'as for a user without a history')
      t.strictSame(
        await idsFor(newcomer),
        before.map(({ id }) => id).filter(id => id !== 100 && id !== 203),
        'all other titles stay'
      )
      for (const id of [100, 203]) assertDone(t, await newcomer.remove(`/ratings/${id}`), 200)
      t.strictSame(await recommendedTo(newcomer), before)
    })

    t.test('is in none of the rows of home that propose something, and stays in the others', async t => {
      const viewer = await viewerOf(app)
      await watch(viewer, 111, completed)
      await watch(viewer, 1, begun)
      await viewer.post('/watchlist', { content_id: 203 })
      type Row = { kind: string; because: { content_id: number } | null; items: { content: { id: number } }[] }
      const rowsOf = async (): Promise<Row[]> => (await viewer.get('/home?items=30')).json().data.rows
      const kinds = ['recommended', 'because', 'popular', 'new']
      const firstOf = (rows: Row[], kind: string) => rows.find(row => row.kind === kind)?.items[0]?.content.id
      const before = await rowsOf()
      const gone = [1, 100, 203, ...kinds.map(kind => firstOf(before, kind))].filter(id => id !== undefined)
      await dislike(viewer, ...gone)
      const after = await rowsOf()
      for (const { kind, because, items } of after.filter(row => kinds.includes(row.kind))) {
        t.strictSame(
          items.filter(({ content }) => gone.includes(content.id)),
          [],
          kind
        )
        t.notOk(gone.includes(because?.content_id ?? 0))
      }
      const kept = (rows: Row[]) => rows.filter(({ kind }) => kind === 'continue_watching' || kind === 'watchlist')
      t.strictSame(kept(after), kept(before))
      t.strictSame(await cardsOf(viewer), [1, 112])
    })

    t.test('leaves public answers as they are', async t => {
      const before = (await anybody(app).get('/home')).body
      await dislike(await viewerOf(app), 1, 203)
      t.equal((await anybody(app).get('/home')).body, before)
    })
  })

  t.test('nothing of another user is shown or changed', async t => {
    const [a, b] = [await viewerOf(app), await viewerOf(app)]
    await like(b, 1)
    await dislike(b, 100)
    const before = await Promise.all(['/ratings', '/recommendations'].map(async path => (await b.get(path)).body))
    t.strictSame(await ratingsBy(a), [])
    t.ok((await idsFor(a)).includes(100))
    for (const id of [1, 100, 111]) assertNotFound(t, await a.remove(`/ratings/${id}`), `rated by another: ${id}`)
    await dislike(a, 1)
    t.strictSame(await Promise.all(['/ratings', '/recommendations'].map(async path => (await b.get(path)).body)), before)
  })

  t.test('wants a token, whatever else is wrong', async t => {
    const viewer = await viewerOf(app)
    await like(viewer, 1)
    await wantToken(t, app, viewer.headers.authorization, [
      ['GET', '/ratings'],
      ['GET', '/ratings?page=0'],
      ['PUT', '/ratings/2'],
      ['PUT', '/ratings/x'],
      ['PUT', '/ratings/2', '{'],
      ['DELETE', '/ratings/1'],
      ['DELETE', '/ratings/']
    ])
    t.strictSame(await ratingsBy(viewer), [[1, 'like']])
  })
})

t.test('a rated title that became a part of another one counts for that one, of two ratings the newest', async t => {
  const app = await buildWith(t, { contents: [content(1), film(2), film(3), film(4)] })
  const viewer = await viewerOf(app)
  await like(viewer, 1)
  await dislike(viewer, 2)
  await change(app, 'contents', 2, { parent_id: 1 })
  await until(async () => (await idsFor(viewer)).toSorted().join() === '3,4')
  t.strictSame(await ratingsBy(viewer), [
    [2, 'dislike'],
    [1, 'like']
  ])
  assertDone(t, await viewer.remove('/ratings/2'), 200)
  assertNotFound(t, await viewer.remove('/ratings/x'))
  t.strictSame((await idsFor(viewer)).toSorted(), [1, 3, 4], 'DELETE removes the ratings under both ids')
})

t.test('an age limit holds for ratings', async t => {
  const app = await buildWith(t, { contents: [film(1, { min_age: 6 }), film(2, { min_age: 18 }), film(3), film(4, { min_age: 6 })] })
  const viewer = await viewerOf(app)
  await like(viewer, 1, 2)
  const answer = await viewer.post('/profiles', { name: 'Child', max_age: 6 })
  const child = Number(String(answer.headers.location).split('/').pop())
  const { access_token } = (await viewer.post(`/profiles/${child}/token`, {})).json().data
  const headers = { authorization: `Bearer ${access_token}` }
  const asChild = (method: 'GET' | 'PUT' | 'DELETE', url: string, payload?: object) =>
    app.inject({ method, url, headers, ...(payload && { payload }) })
  t.strictSame(collectionOf(await asChild('GET', '/ratings')), [], 'a profile has ratings of its own')
  await app.data.ratings.put(child, 2, 'like')
  await app.data.ratings.put(child, 4, 'dislike')
  for (const user of [child, viewer.id]) await app.data.ratings.put(user, 99, 'like')
  for (const id of [2, 3]) {
    assertNotFound(t, await asChild('PUT', `/ratings/${id}`, { rating: 'like' }))
    assertNotFound(t, await asChild('DELETE', `/ratings/${id}`))
  }
  t.match(collectionOf(await asChild('GET', '/ratings')), [{ content_id: 4, rating: 'dislike' }])
  t.strictSame(
    (await asChild('GET', '/changes')).json().data.ratings.map(({ content_id }: RatingDocument) => content_id),
    [4]
  )
  t.strictSame(
    (await asChild('GET', '/recommendations')).json().data.map(({ id, reason }: Recommended) => [id, reason.type]),
    [[1, 'popular']],
    'what is above the limit is no reason'
  )
  assertDone(t, await viewer.remove(`/profiles/${child}`), 200)
  t.equal(await databaseOf(app).collection('ratings').countDocuments({ user_id: child }), 0, 'they go with the profile')
  t.strictSame(
    (await ratingsBy(viewer)).map(([content_id]) => content_id),
    [2, 1]
  )
  t.equal((await viewer.get('/ratings')).json().data.meta.total_count, 3, 'without a limit, what the catalogue lacks is counted')
})
