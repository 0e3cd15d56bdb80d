import { Type } from '@sinclair/typebox'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import t from 'tap'
import { Ok } from '../../schemas/common.js'
import { Recommendation } from '../../schemas/recommendation.js'
import { everybody } from '../../src/catalogue/audience.js'
import type { ContentDocument } from '../../src/catalogue/content-documents.js'
import { assertRefused, unauthenticated } from '../helpers/answers.js'
import { build, buildWith } from '../helpers/app.js'
import { appUrl, change, databaseOf } from '../helpers/database.js'
import { content, episode, film, rich, term } from '../helpers/documents.js'
import { until } from '../helpers/until.js'
import { viewerOf, watch } from '../helpers/viewer.js'
import {
  anybody,
  crowdOf,
  daysAgo,
  firstOfCrowd,
  idsFor,
  recommendedBy,
  recommendedTo,
  span,
  taught,
  views
} from '../recommendations/helper.js'
import { badQueries, wire } from './helper.js'

const season = (id: number, parent_id: number, given: Partial<ContentDocument> = {}) => content(id, { type: 'season', parent_id, ...given })
const completed = { time: 3000, percentage: 95 }
const popular = { type: 'popular' }

/** Strict: a field that the schema does not name is a fault. */
const closed = (schema: object): object =>
  JSON.parse(JSON.stringify(schema), (_key, value) =>
    value?.type === 'object' && value.properties && value.additionalProperties === undefined
      ? { ...value, additionalProperties: false }
      : value
  )

t.test('what is sent', async t => {
  const contents = [
    rich(1, { weight: 9, start_date: daysAgo(3), countries_include: null, countries_exclude: null }),
    content(2, { weight: 8 }),
    episode(3, 2),
    ...Array.from({ length: 118 }, (_, i) => film(101 + i))
  ]
  const app = await buildWith(t, { contents })
  const viewer = await viewerOf(app)

  t.test('is an array of contents with deleted_at, recent and reason', async t => {
    await watch(viewer, 3, completed)
    const answer = await viewer.get('/recommendations')
    t.equal(answer.statusCode, 200)
    t.match(answer.headers, { 'content-type': /^application\/json; charset=utf-8$/, 'cache-control': 'private, no-store' })
    t.equal(answer.headers['content-length'], String(Buffer.byteLength(answer.body)))
    const order = [contents[0], ...contents.slice(3).reverse()].slice(0, 20) as ContentDocument[]
    const expected = order.map((c, i) => ({ ...wire(c), deleted_at: null, recent: i === 0, reason: popular }))
    t.equal(answer.body, JSON.stringify({ success: true, data: expected }), 'byte for byte, in the default order of contents')
  })

  t.test('fits the schema that the documentation shows', async t => {
    const fits = addFormats.default(new Ajv({ strict: false })).compile(closed(Ok(Type.Array(Recommendation))))
    for (const who of [viewer, anybody(app)]) {
      const answer = await who.get('/recommendations?perPage=100')
      t.ok(fits(answer.json()), JSON.stringify(fits.errors))
    }
  })

  t.test('are 20 unless perPage says otherwise, from 1 to 100', async t => {
    for (const [query, count] of [
      ['', 20],
      ['?perPage=1', 1],
      ['?perPage=2', 2],
      ['?perPage=20', 20],
      ['?perPage=99', 99],
      ['?perPage=100', 100],
      ['?page=7&order_by=x', 20]
    ] as const) {
      t.equal((await recommendedTo(viewer, query)).length, count, query)
      t.equal((await recommendedTo(anybody(app), query)).length, count, query)
    }
    const all = await idsFor(viewer, '?perPage=100')
    t.strictSame(await idsFor(viewer, '?perPage=5'), all.slice(0, 5), 'a shorter list is the beginning of a longer one')
  })

  for (const [query, field] of badQueries.filter(([query]) => /^perPage\b/.test(query)))
    t.test(`refuses ${query.slice(0, 30)}`, async t => {
      for (const who of [viewer, anybody(app)]) {
        const answer = await who.get(`/recommendations?${query}`)
        if (field) assertRefused(t, answer, field, query)
        else t.equal(answer.statusCode, 200, 'an unknown parameter is ignored')
      }
    })

  t.test('without a token is what is popular, with one that is not valid the 401', async t => {
    const answer = await anybody(app).get('/recommendations')
    t.match(answer.headers, { 'cache-control': 'private, no-store' })
    t.strictSame([...new Set(recommendedBy(answer).map(({ reason }) => reason.type))], ['popular'])
    t.ok((await idsFor(anybody(app))).includes(2), 'nobody has watched anything yet')
    for (const authorization of ['Bearer x.y.z', 'Bearer', '', 'Basic dTpw', `${viewer.headers.authorization}x`]) {
      const refused = await anybody(app).get('/recommendations', undefined, { authorization })
      t.equal(refused.statusCode, 401, authorization)
      t.equal(refused.body, unauthenticated)
    }
  })

  t.test('answers GET and HEAD alone', async t => {
    const answer = await app.inject({ method: 'POST', url: '/recommendations', headers: viewer.headers, payload: {} })
    t.equal(answer.statusCode, 405)
    t.match(answer.headers.allow, /GET/)
    t.equal((await app.inject({ method: 'HEAD', url: '/recommendations' })).statusCode, 200)
    t.equal((await app.inject('/recommendations/')).statusCode, 404)
    t.equal((await app.inject('/recommendations/1')).statusCode, 404)
  })
})

t.test('only what is open is recommended, and only titles', async t => {
  const contents = [
    film(1),
    film(2, { deleted_at: new Date('2024-01-01') }),
    film(3, { end_date: new Date('2024-01-01') }),
    film(4, { start_date: new Date('2098-01-01') }),
    film(5, { countries_include: ['SE', 'DE'] }),
    film(6, { countries_exclude: ['US'] }),
    film(7, { countries_include: [] }),
    film(8, { countries_include: ['US'], countries_exclude: ['US'] }),
    content(20),
    season(21, 20),
    episode(22, 21),
    episode(23, 20),
    content(24, { type: 'trailer', parent_id: 1 }),
    content(30, { type: 'channel' })
  ]
  const app = await buildWith(t, { contents }, { settings: { COUNTRY_HEADER: 'cf-ipcountry' } })
  // The closed ones are what everybody watches.
  await views(
    app,
    [2, 3, 4, 5, 6, 7, 8, 22, 23, 24].flatMap(content_id =>
      Array.from({ length: 5 }, (_, i) => ({ user_id: firstOfCrowd + i, content_id }))
    )
  )
  await taught(app)
  const viewer = await viewerOf(app)
  await watch(viewer, 30, completed)

  const sorted = async (who: Parameters<typeof idsFor>[0], country?: string) =>
    (await idsFor(who, '?perPage=100', country === undefined ? {} : { 'cf-ipcountry': country })).sort((a, b) => a - b)
  const cases: [country: string | undefined, films: number[]][] = [
    [undefined, [1, 5, 6, 7, 8]],
    ['XX', [1, 5, 6, 7, 8]],
    ['T1', [1, 5, 6, 7, 8]],
    ['SE', [1, 5, 6]],
    ['se', [1, 5, 6]],
    ['US', [1]],
    ['FR', [1, 6]]
  ]
  t.test('where the caller is', async t => {
    for (const [country, films] of cases) {
      t.strictSame(await sorted(viewer, country), [...films, 20], `${country}`)
      t.strictSame(await sorted(anybody(app), country), [...films, 20, 30], `${country}, without a token`)
    }
  })

  t.test('from the moment that it starts, and until it ends', async t => {
    const soon = new Date(Date.now() + 1200)
    await change(app, 'contents', 4, { start_date: soon })
    await change(app, 'contents', 1, { end_date: soon })
    await change(app, 'contents', 30, { deleted_at: new Date() })
    await until(async () => (await sorted(anybody(app))).join() === '4,5,6,7,8,20')
    t.strictSame(await sorted(viewer), [4, 5, 6, 7, 8, 20])
  })
})

t.test('a catalogue that has no more', async t => {
  const app = await buildWith(t, { contents: [film(1), film(2), film(3)] })
  const viewer = await viewerOf(app)
  t.equal((await idsFor(viewer)).length, 3)
  for (const id of [1, 2]) await watch(viewer, id, completed)
  t.strictSame(await idsFor(viewer, ''), [3])
  await watch(viewer, 3, { time: 1 })
  const answer = await viewer.get('/recommendations')
  t.equal(answer.body, '{"success":true,"data":[]}', 'the user has begun everything')
  t.equal((await idsFor(anybody(app))).length, 3)

  const empty = await build(t, { url: await appUrl(t) })
  t.equal((await anybody(empty).get('/recommendations')).body, '{"success":true,"data":[]}')
  t.equal((await (await viewerOf(empty)).get('/recommendations')).body, '{"success":true,"data":[]}')
})

// Cluster 1: films 1 to 10. Cluster 2: films 11 to 18, and the shows 19 and 20 by their episodes. Nobody has seen 31 to 40.
const terms = [term(1), term(2)]
const clusters = [
  ...Array.from({ length: 18 }, (_, i) => film(i + 1, { name: `Film "${i + 1}" ü` })),
  content(19, { name: 'The show' }),
  season(190, 19),
  episode(191, 190),
  episode(192, 190),
  content(20),
  episode(201, 20),
  ...Array.from({ length: 10 }, (_, i) => film(i + 31))
]
const crowd = [
  ...crowdOf(span(1, 10), 2, firstOfCrowd),
  ...crowdOf(span(11, 20), 1, firstOfCrowd + 90).map(view => {
    const episodes: { [id: number]: number } = { 19: 191, 20: 201 }
    return { ...view, content_id: episodes[view.content_id] ?? view.content_id }
  })
]
const isOf = (ids: number[], from: number, to: number) => ids.every(id => id >= from && id <= to)

t.test('what was learnt', async t => {
  const app = await buildWith(t, { contents: clusters, terms })
  await views(app, crowd)
  await taught(app)

  t.test('a viewer of titles of a cluster is shown the rest of it, with the reason', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 11, completed)
    await watch(viewer, 12, completed)
    const shown = await recommendedTo(viewer, '?perPage=8')
    t.strictSame(
      shown.map(({ id }) => id).sort((a, b) => a - b),
      span(13, 20),
      'though the other cluster is twice as popular'
    )
    for (const { reason } of shown) {
      if (reason.type !== 'watched') throw new Error('popular')
      t.ok([11, 12].includes(reason.content_id))
      t.equal(reason.name, `Film "${reason.content_id}" ü`)
    }
    const [first13] = shown
    t.strictSame(Object.keys(first13?.reason ?? {}), ['type', 'content_id', 'name'])
  })

  t.test('what a user watches counts in the next request, without a training', async t => {
    const viewer = await viewerOf(app)
    t.ok(isOf((await idsFor(viewer, '?perPage=10')).slice(0, 10), 1, 10), 'popular titles at first')
    await watch(viewer, 11, { ...completed, observed_at: '2024-01-01T00:00:00Z' })
    const before = await recommendedTo(viewer, '?perPage=9')
    t.ok(
      isOf(
        before.map(({ id }) => id),
        12,
        20
      )
    )
    await watch(viewer, 3, completed)
    const after = await recommendedTo(viewer, '?perPage=18')
    t.ok(
      after.slice(0, 5).some(({ id }) => id <= 10),
      'titles of the other cluster follow at once'
    )
    for (const { id, reason } of after) {
      t.not(id, 3)
      t.match(reason, { type: 'watched', content_id: id <= 10 ? 3 : 11 }, 'the reason is from the same cluster')
    }
    t.equal((await viewer.remove('/history')).statusCode, 200)
    t.match((await recommendedTo(viewer, '?perPage=1'))[0]?.reason, popular, 'removed history does not count')
  })

  t.test('episodes count for the show', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 192, { time: 900, percentage: 30 })
    const shown = await recommendedTo(viewer)
    const ids = shown.map(({ id }) => id)
    t.notOk(ids.includes(19), 'a show that was begun')
    t.ok(isOf(ids.slice(0, 9), 11, 20), 'by an episode that nobody else has watched')
    t.match(shown[0]?.reason, { type: 'watched', content_id: 19, name: 'The show' })
    await watch(viewer, 201, { time: 3 })
    t.notOk((await idsFor(viewer)).includes(20), 'nor is a title that was played for three seconds')
  })

  t.test('a viewer of no title that the model knows is shown popular titles', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 31, completed)
    const shown = await recommendedTo(viewer)
    t.ok(
      isOf(
        shown.slice(0, 10).map(({ id }) => id),
        1,
        10
      )
    )
    t.strictSame([...new Set(shown.map(({ reason }) => reason.type))], ['popular'])
    t.notOk(shown.some(({ id }) => id === 31))
  })

  t.test('a list that the model cannot fill is filled up with popular titles', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 11, completed)
    const shown = await recommendedTo(viewer)
    t.strictSame(
      shown.map(({ reason }) => reason.type),
      [...Array(9).fill('watched'), ...Array(20).fill('popular')]
    )
    t.ok(
      isOf(
        shown.slice(9, 19).map(({ id }) => id),
        1,
        10
      ),
      'the most popular first'
    )
  })

  t.test('a start of a few seconds shows no interest, but the title counts as begun', async t => {
    for (const [what, progress, tells] of [
      ['3 seconds', { time: 3 }, false],
      ['under INTEREST_FROM', { time: 200, percentage: 4.9 }, false],
      ['INTEREST_FROM', { time: 200, percentage: 5 }, true],
      ['a minute', { time: 60 }, true],
      ['only a percentage', { percentage: 40 }, true],
      ['all of it', { time: 0, percentage: 100 }, true]
    ] as const) {
      const viewer = await viewerOf(app)
      await watch(viewer, 11, progress)
      const shown = await recommendedTo(viewer)
      t.equal(shown[0]?.reason.type, tells ? 'watched' : 'popular', what)
      t.notOk(
        shown.some(({ id }) => id === 11),
        what
      )
    }
    const eager = await build(t, { url: app.settings.MONGO_URL, settings: { INTEREST_FROM: '50' } })
    const viewer = await viewerOf(eager)
    await watch(viewer, 11, { percentage: 49 })
    t.equal((await recommendedTo(viewer))[0]?.reason.type, 'popular', 'INTEREST_FROM applies')
    await watch(viewer, 11, { percentage: 50 })
    t.equal((await recommendedTo(viewer))[0]?.reason.type, 'watched')
  })

  t.test('an element at 0 is as good as none', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 11)
    const shown = await recommendedTo(viewer)
    t.ok(shown.some(({ id }) => id === 11))
    t.equal(shown[0]?.reason.type, 'popular')
  })

  t.test('a brief start at 0 does not make a title new', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 11, { time: 3000, percentage: 50 })
    await watch(viewer, 11, { time: 0, percentage: 0 })
    const shown = await recommendedTo(viewer)
    t.notOk(shown.some(({ id }) => id === 11))
    t.equal(shown[0]?.reason.type, 'watched')
  })

  t.test('the reason may be a title that is not shown any more', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 18, completed)
    await change(app, 'contents', 18, { deleted_at: new Date(), name: 'Gone' })
    await until(() => !app.catalogue.isAvailable(18, everybody))
    t.match((await recommendedTo(viewer))[0]?.reason, { type: 'watched', content_id: 18, name: 'Gone' })
  })

  t.test('what other software has broken is neither shown nor named, and takes nothing else away', async t => {
    const viewer = await viewerOf(app)
    await watch(viewer, 17, completed)
    const before = await recommendedTo(viewer)
    const [first, second] = before
    t.match(first?.reason, { content_id: 17 })
    const id = Number(first?.id)
    await change(app, 'contents', 17, { name: 5 })
    await change(app, 'contents', id, { weight: 77 })
    const { skeleton } = app.catalogue
    await until(() => !app.catalogue.isAvailable(17, everybody) && skeleton.weight.raw(skeleton.row(id) as number) === 77)
    // Nobody is told, so the service notices only when it reads the content.
    await databaseOf(app).collection<{ _id: number }>('contents').deleteOne({ _id: id })
    const shown = await recommendedTo(viewer)
    t.strictSame(
      shown.map(({ id }) => id),
      before.slice(1).map(({ id }) => id)
    )
    t.match(shown[0], { id: second?.id, reason: popular })
  })

  t.test('the reason comes from the history of the user, not of others', async t => {
    const [one, other] = [await viewerOf(app), await viewerOf(app)]
    await watch(one, 11, completed)
    await watch(other, 2, completed)
    t.match((await recommendedTo(one))[0]?.reason, { content_id: 11 })
    t.match((await recommendedTo(other))[0]?.reason, { content_id: 2 })
    t.ok((await idsFor(other)).includes(11))
  })
})

t.test('a history of thousands', async t => {
  const count = 3000
  const contents = [...clusters, ...Array.from({ length: count }, (_, i) => film(1001 + i))]
  const app = await buildWith(t, { contents })
  await views(app, crowd)
  const viewer = await viewerOf(app)
  // The viewer has watched all of the thousands but the last five, and has begun film 31 before all of them.
  const old = Array.from({ length: count - 5 }, (_, i) => ({ user_id: viewer.id, content_id: 1001 + i, updated_at: new Date(1e12 + i) }))
  await views(app, [...old, { user_id: viewer.id, content_id: 31, time: 2, percentage: 0, updated_at: new Date(1) }])
  await taught(app)
  const left = span(3996, 4000)
  t.strictSame(
    (await idsFor(viewer)).filter(id => id > 1000).sort((a, b) => a - b),
    left,
    'titles that were ever begun are left out'
  )
  t.notOk((await idsFor(viewer)).includes(31))
  // Film 12 is of the second cluster, 11 to 20.
  await watch(viewer, 12, completed)
  const shown = await recommendedTo(viewer)
  t.ok(
    isOf(
      shown.slice(0, 9).map(({ id }) => id),
      11,
      20
    ),
    'the newest history counts at once'
  )
  t.match(shown[0]?.reason, { type: 'watched', content_id: 12 })
  t.strictSame(
    shown
      .map(({ id }) => id)
      .filter(id => id > 1000)
      .sort((a, b) => a - b),
    left
  )
})

t.test('recent', async t => {
  const contents = [film(1, { start_date: daysAgo(13.99) }), film(2, { start_date: daysAgo(14.01) }), film(3, { start_date: daysAgo(0.5) })]
  const app = await buildWith(t, { contents })
  const recents = async (of: typeof app) =>
    (await recommendedTo(anybody(of)))
      .filter(({ recent }) => recent)
      .map(({ id }) => id)
      .sort()
  t.strictSame(await recents(app), [1, 3], '14 days')
  for (const [RECENT_DAYS, ids] of [
    ['0', []],
    ['15', [1, 2, 3]]
  ] as const) {
    const other = await build(t, { url: app.settings.MONGO_URL, settings: { RECENT_DAYS } })
    t.strictSame(await recents(other), ids, `RECENT_DAYS=${RECENT_DAYS}`)
  }
})

t.test('under a base path', async t => {
  const app = await buildWith(t, { contents: [film(1)] }, { settings: { BASE_PATH: '/viewer' } })
  t.equal((await app.inject('/viewer/recommendations')).json().data.length, 1)
  t.equal((await app.inject('/recommendations')).statusCode, 404)
})
