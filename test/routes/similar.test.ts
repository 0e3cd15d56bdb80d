import t from 'tap'
import { everybody } from '../../src/catalogue/audience.js'
import { randomFrom } from '../../src/recommendations/model/index.js'
import { moveClock } from '../catalogue/helper.js'
import { assertRefused, notFound } from '../helpers/answers.js'
import { type App, buildWith } from '../helpers/app.js'
import { change, databaseOf } from '../helpers/database.js'
import { content, episode, film, term } from '../helpers/documents.js'
import { until } from '../helpers/until.js'
import { viewerOf, watch } from '../helpers/viewer.js'
import { counted, crowdOf, daysAgo, firstOfCrowd, idsFor, learnerOf, span, taught, trainOn, views } from '../recommendations/helper.js'
import { badQueries, wire } from './helper.js'

const settings = { COUNTRY_HEADER: 'x-country', RECENT_DAYS: '7' }

const similarIn = async (app: App, id: number | string, query = '', headers: Record<string, string> = {}): Promise<number[]> => {
  const answer = await app.inject({ url: `/contents/${id}/similar${query}`, headers })
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`)
  return answer.json().data.map(({ id }: { id: number }) => id)
}

t.test('GET /contents/{contentId}/similar, without a model', async t => {
  const contents = [
    content(1, { terms: [1, 2, 3], start_date: daysAgo(3) }),
    content(10, { type: 'season', parent_id: 1 }),
    episode(11, 10, { terms: [3] }),
    episode(12, 10, { deleted_at: new Date('2024-01-01') }),
    film(2, { terms: [1], weight: 9, start_date: daysAgo(2) }),
    film(3, { terms: [2] }),
    film(4, { terms: [1, 2], end_date: new Date('2024-01-01') }),
    content(5, { terms: [1], weight: 7 }),
    film(6, { terms: [9], weight: 8, countries_include: ['SE'] }),
    content(7, { weight: 3 }),
    content(8, { countries_exclude: ['US'] }),
    content(9, { deleted_at: new Date('2024-01-01') }),
    episode(13, 9),
    ...span(101, 160).map(id => film(id, { terms: [1] }))
  ]
  const app = await buildWith(t, { contents, terms: [term(1), term(2), term(3)] }, { settings })
  const similar = (id: number | string, query?: string, headers?: Record<string, string>) => similarIn(app, id, query, headers)
  const byTerms = [3, 2, 5, ...span(101, 160).reverse(), 7, 8]

  t.test('are contents with recent, by the rarest terms, then by type', async t => {
    const answer = await app.inject('/contents/1/similar?perPage=2')
    t.equal(answer.statusCode, 200)
    const expected = [3, 2].map(id => ({ ...wire(contents.find(({ _id }) => _id === id) as never), recent: id === 2 }))
    t.equal(answer.body, JSON.stringify({ success: true, data: expected }))
    t.strictSame(await similar(1, '?perPage=50'), byTerms.slice(0, 50))
    t.strictSame(await similar(7), [5, 1, 8], 'titles of the same type if it has no terms, the most popular first')
  })

  t.test('are 20 unless perPage says otherwise, from 1 to 50', async t => {
    t.equal((await similar(1)).length, 20)
    for (const perPage of [1, 3, 50]) t.strictSame(await similar(1, `?perPage=${perPage}`), byTerms.slice(0, perPage))
    t.strictSame(await similar(1, '?page=7&order_by=x&perPage=3'), byTerms.slice(0, 3))
    for (const [query, field] of [...badQueries, ['perPage=51', 'perPage'] as const].filter(([query]) => /^perPage=/.test(query)))
      assertRefused(t, await app.inject(`/contents/1/similar?${query}`), field, query)
  })

  t.test('of an episode or a season are those of its show', async t => {
    const whole = (await app.inject('/contents/1/similar')).body
    for (const id of [10, 11]) t.equal((await app.inject(`/contents/${id}/similar`)).body, whole)
  })

  t.test('are not found for what is not open or not there', async t => {
    for (const id of [4, 9, 12, 13, 99, 0, -1, 'x', '01', '1.0', '1x', '9'.repeat(30), '%00']) {
      const answer = await app.inject(`/contents/${id}/similar`)
      t.strictSame([answer.statusCode, answer.json()], [404, notFound], String(id))
    }
  })

  t.test('are what is open in the country of the caller', async t => {
    const to = (country: string) => ({ 'x-country': country })
    t.strictSame(await similar(7, '', to('US')), [5, 1])
    t.strictSame(await similar(7, '', to('DE')), [5, 1, 8])
    t.strictSame(await similar(6, '', to('SE')), [2, ...span(142, 160).reverse()], 'no title shares its term')
    for (const [id, country] of [
      [6, 'US'],
      [8, 'US']
    ] as const)
      t.equal((await app.inject({ url: `/contents/${id}/similar`, headers: to(country) })).statusCode, 404)
  })

  t.test('are public, with an ETag, the same for everybody', async t => {
    const answer = await app.inject('/contents/1/similar')
    t.match(answer.headers, { 'cache-control': 'public, no-cache', vary: /\bx-country\b/i, etag: /^"[\w+/]{27}"$/ })
    const viewer = await viewerOf(app)
    t.equal((await viewer.get('/contents/1/similar')).body, answer.body)
    const headers = { 'if-none-match': String(answer.headers.etag) }
    const known = await app.inject({ url: '/contents/1/similar', headers })
    t.strictSame([known.statusCode, known.body], [304, ''])
    const head = await app.inject({ method: 'HEAD', url: '/contents/1/similar' })
    t.strictSame([head.statusCode, head.body, head.headers.etag], [200, '', answer.headers.etag])
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'] as const) {
      const refused = await app.inject({ method, url: '/contents/1/similar', headers: viewer.headers })
      t.equal(refused.statusCode, 405, method)
      t.match(refused.headers.allow, /GET/)
    }
    t.equal((await app.inject('/contents/1/similar/')).statusCode, 404)
  })

  t.test('have a title that has just opened, and it has similar ones', async t => {
    t.notOk((await similar(1)).includes(4))
    await change(app, 'contents', 4, { end_date: null })
    await until(async () => (await similar(1))[0] === 4, { within: 10_000 })
    t.strictSame(await similar(4, '?perPage=4'), [1, 3, 2, 5])
  })
})

t.test('by the model', async t => {
  const contents = [
    ...span(1, 6).map(id => film(id, { terms: [id] })),
    content(7, { terms: [1] }),
    episode(70, 7),
    film(8, { terms: [1] }),
    film(9, { terms: [2], weight: 5 })
  ]
  const app = await buildWith(t, { contents }, { settings })
  await counted(app)
  t.strictSame(await similarIn(app, 1, '?perPage=2'), [8, 7], 'before there is a model, titles that share its term')
  await views(app, [
    ...crowdOf([1, 2, 3, 4], 4, firstOfCrowd),
    ...crowdOf([5, 6, 70, 8], 4, firstOfCrowd + 1000),
    ...Array.from({ length: 90 }, (_, i) => ({ user_id: firstOfCrowd + 5000 + i, content_id: 6 }))
  ])
  await taught(app)

  t.test('comes what the viewers of a title watch', async t => {
    const neighbours = await similarIn(app, 1, '?perPage=3')
    t.strictSame([...neighbours].sort(), [2, 3, 4])
    t.strictSame((await similarIn(app, 1, '?perPage=50')).slice(0, 5), [...neighbours, 8, 7], 'then titles that share its terms')
    t.strictSame(await similarIn(app, 70), await similarIn(app, 7), 'an episode has the similar titles of its show')
    t.ok([5, 6, 8].includes((await similarIn(app, 70))[0] as number))
    const all = await similarIn(app, 5, '?perPage=50')
    t.ok(all.includes(7), 'only titles are listed')
    t.notOk(all.includes(70))
    for (const id of [1, 5, 7, 9]) {
      const shown = await similarIn(app, id, '?perPage=50')
      t.notOk(shown.includes(id), 'never the title itself')
      t.equal(new Set(shown).size, shown.length, 'never twice')
    }
  })

  t.test('rows of titles are there without HTTP, and leave out what is shown elsewhere', async t => {
    const { catalogue, recommender } = app
    const row = (id: number) => catalogue.skeleton.row(id) as number
    const ids = (excluded: number[]) =>
      recommender.similar(row(1), everybody, 4, excluded.map(row)).map(found => catalogue.skeleton.idOf(found))
    const [first, second, third, fourth] = ids([])
    t.strictSame(ids([first as number, third as number]).slice(0, 2), [second, fourth])
  })

  t.test('a title that the model does not know has those of its terms, then what is popular', async t => {
    const { _id, ...added } = film(10, { terms: [2] })
    await change(app, 'contents', _id, added)
    await until(() => app.catalogue.skeleton.row(10) !== undefined, { within: 10_000 })
    t.strictSame(await similarIn(app, 10, '?perPage=3'), [2, 9, 6])
    const times = Array.from({ length: 300 }, (_, i) => firstOfCrowd + 9000 + i)
    await views(
      app,
      times.map(user_id => ({ user_id, content_id: 3 }))
    )
    await counted(app)
    t.strictSame(await similarIn(app, 10, '?perPage=3'), [2, 9, 3], 'by the current counts')
    const before = await app.inject('/contents/10/similar')
    await trainOn(app)
    await learnerOf(app).learning.refreshModel()
    t.not((await app.inject('/contents/10/similar')).headers.etag, before.headers.etag, 'and by the current model')
  })
})

/**
 * Viewers of some tastes, of four. Whoever has watched the first title of a taste (100, 200, ...) goes on to its films 9 and 10, watches
 * some of its other films before and after, and now and then one of the next taste.
 */
const tastefulViews = (viewers: number, tastes: number) => {
  const random = randomFrom(viewers + 35)
  return span(0, viewers - 1).flatMap(viewer => {
    const taste = (viewer % tastes) + 1
    const others = span(1, 8).filter(() => random() < 0.3)
    const both = random() < 0.5 ? [9, 10] : [10, 9]
    const stray = random() < 0.3 ? [((taste % 4) + 1) * 100 + 9] : []
    const films = (numbers: number[]) => numbers.map(number => taste * 100 + number)
    const first = taste === 1 ? 111 : taste * 100
    const ids = [...films(others.slice(0, 1)), ...stray, first, ...films(both), ...films(others.slice(1))]
    return ids.map((content_id, at) => ({ user_id: firstOfCrowd + viewer, content_id, updated_at: new Date(Date.now() + at) }))
  })
}

t.test('what all viewers of a title went on to watch comes first, however few they are and however alike other titles are', async t => {
  const tastes = span(1, 4)
  // Films 1 and 2 share the terms of the first title of the next taste.
  const contents = tastes.flatMap(taste => [
    content(taste * 100, { type: taste === 1 ? 'show' : 'film', terms: [taste] }),
    ...span(1, 10).map(number => film(taste * 100 + number, { terms: number < 3 ? [(taste % 4) + 1] : [] }))
  ])
  const app = await buildWith(t, { contents: [...contents, episode(111, 100)], terms: tastes.map(id => term(id)) })
  for (const [viewers, shown] of [
    [3, [1]],
    [10, [1, 2, 3]],
    [30, tastes],
    [48, tastes],
    [100, tastes],
    [1000, tastes]
  ] as [number, number[]][]) {
    await databaseOf(app).collection('history').deleteMany({})
    await views(app, tastefulViews(viewers, shown.length))
    await taught(app)
    for (const taste of shown) {
      const firstTwo = (ids: number[]) => ids.slice(0, 2).sort((a, b) => a - b)
      const expected = [taste * 100 + 9, taste * 100 + 10]
      t.strictSame(firstTwo(await similarIn(app, taste * 100)), expected, `with ${viewers} viewers, similar to ${taste}00`)
      const viewer = await viewerOf(app)
      await watch(viewer, taste === 1 ? 111 : taste * 100, { time: 3000, percentage: 95 })
      t.strictSame(firstTwo(await idsFor(viewer)), expected, `with ${viewers} viewers, recommended after ${taste}00`)
    }
  }
})

t.test('a catalogue of three titles', async t => {
  const almostOld = new Date(daysAgo(7).getTime() + 40_000)
  const app = await buildWith(t, { contents: [film(1), film(2, { start_date: almostOld }), content(3)] }, { settings })
  t.strictSame(await similarIn(app, 1), [2])
  t.strictSame(await similarIn(app, 3), [], 'no title is similar to it')
  const isRecent = async () => (await app.inject('/contents/1/similar')).json().data[0].recent
  t.equal(await isRecent(), true)
  moveClock(t, 41_000)
  t.equal(await isRecent(), false, 'the cached list does not outlive it')
})
