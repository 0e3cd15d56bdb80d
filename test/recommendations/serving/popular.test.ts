import t from 'tap'
import type { PopularityDocument } from '../../../src/data/popularity.js'
import { build, buildWith } from '../../helpers/app.js'
import { change, databaseOf } from '../../helpers/database.js'
import { content, episode, film, term } from '../../helpers/documents.js'
import { until } from '../../helpers/until.js'
import { viewerOf, watch } from '../../helpers/viewer.js'
import { anybody, counted, daysAgo, firstOfCrowd, idsFor, learnerOf, recommendedTo, span, views } from '../helper.js'

/** Users who have begun a content. */
const viewsOf = (content_id: number, count: number, given: { updated_at?: Date; country?: string } = {}) =>
  Array.from({ length: count }, (_, i) => ({ user_id: firstOfCrowd + i, content_id, ...given }))
const settings = { COUNTRY_HEADER: 'cf-ipcountry' }
const from = (country: string) => ({ 'cf-ipcountry': country })

t.test('newer views count more, and those of two months ago not at all', async t => {
  const app = await buildWith(t, { contents: span(1, 6).map(id => film(id)) })
  t.strictSame(await idsFor(anybody(app)), [6, 5, 4, 3, 2, 1], 'without any views, the default order of contents')
  await views(app, [
    ...viewsOf(1, 1),
    ...viewsOf(2, 3, { updated_at: daysAgo(14) }),
    ...viewsOf(3, 1, { updated_at: daysAgo(6) }),
    ...viewsOf(4, 40, { updated_at: daysAgo(61) })
  ])
  await counted(app)
  // A view counts half as much after each week. So film 1 has 1, film 2 has 3/4, and film 3 has a little more than 1/2.
  t.strictSame(await idsFor(anybody(app)), [1, 2, 3, 6, 5, 4])
  t.strictSame(await idsFor(await viewerOf(app)), [1, 2, 3, 6, 5, 4])
})

t.test('what counts as a view', async t => {
  const contents = [film(1), film(2), content(3), episode(30, 3), episode(31, 3, { deleted_at: new Date() }), film(4), film(5)]
  const app = await buildWith(t, { contents })
  await views(app, [
    ...viewsOf(5, 4),
    ...viewsOf(30, 3),
    ...viewsOf(31, 2).map(view => ({ ...view, user_id: view.user_id + 100 })),
    ...viewsOf(1, 9).map(view => ({ ...view, time: 0, percentage: 0 })),
    ...viewsOf(2, 2).map(view => ({ ...view, time: 1, percentage: 0 })),
    ...viewsOf(999_999, 20)
  ])
  await counted(app)
  t.strictSame(
    await idsFor(anybody(app)),
    [3, 5, 2, 4, 1],
    'episodes count for their show. Unstarted elements and unknown contents do not count'
  )
  await change(app, 'contents', 5, { parent_id: 2 })
  await until(async () => (await idsFor(anybody(app))).join() === '2,3,4,1', { within: 10_000 })
})

t.test('titles that are watched in the country of the caller come first', async t => {
  const contents = span(1, 5).map(id => film(id))
  const app = await buildWith(t, { contents }, { settings })
  await views(app, [...viewsOf(1, 5, { country: 'DE' }), ...viewsOf(2, 4)])
  const viewer = await viewerOf(app, from('se'))
  await watch(viewer, 3, { time: 100 })
  t.notMatch((await viewer.get('/history')).body, 'country', 'the country is not on the wire')
  await counted(app)
  t.strictSame(await idsFor(anybody(app)), [1, 2, 3, 5, 4], 'for a caller from an unknown country')
  t.strictSame(await idsFor(anybody(app), '', from('SE')), [3, 1, 2, 5, 4])
  t.strictSame(await idsFor(anybody(app), '', from('FR')), [1, 2, 3, 5, 4], 'for a country without views')
  t.strictSame(await idsFor(viewer), [1, 2, 5, 4])

  await views(app, viewsOf(4, 20, { country: 'SE', updated_at: daysAgo(1) }))
  await databaseOf(app).collection('history').deleteMany({ country: 'DE' })
  await counted(app)
  t.strictSame(await idsFor(anybody(app), '', from('SE')), [4, 3, 2, 5, 1])
  const stored = await databaseOf(app).collection<PopularityDocument>('popularity').distinct('_id')
  t.strictSame(stored.sort(), ['*', 'SE'], 'counts of a country without views are removed')
})

t.test('a thin history is filled up with popular titles of its terms', async t => {
  const contents = [
    film(1, { terms: [1] }),
    film(2, { terms: [1, 2] }),
    film(3, { terms: [3] }),
    film(4, { terms: [2] }),
    content(5, { terms: [1] }),
    episode(50, 5, { terms: [3] }),
    ...span(101, 105).map(id => film(id))
  ]
  const app = await buildWith(t, { contents, terms: [term(1), term(2), term(3)] })
  await views(app, [...viewsOf(101, 9), ...viewsOf(102, 8), ...viewsOf(4, 7), ...viewsOf(2, 6), ...viewsOf(50, 5)])
  await counted(app)
  const viewer = await viewerOf(app)
  await watch(viewer, 1, { time: 3 })
  t.strictSame(await idsFor(viewer, '?perPage=3'), [101, 102, 4], 'a few seconds do not count for the terms')
  await watch(viewer, 1, { time: 3000, percentage: 50 })
  const shown = await recommendedTo(viewer)
  t.strictSame(
    shown.map(({ id }) => id),
    [2, 5, 101, 102, 4, 105, 104, 103, 3]
  )
  t.strictSame([...new Set(shown.map(({ reason }) => reason.type))], ['popular'])
  t.strictSame(await idsFor(viewer, '?perPage=1'), [2], 'however short the list is')
  await watch(viewer, 50, { time: 3000, percentage: 50 })
  t.strictSame(await idsFor(viewer, '?perPage=4'), [2, 101, 102, 4], 'the terms of the show count, not those of the episode')
})

t.test('titles of the terms are looked for beyond the first that would do', async t => {
  const contents = [film(1, { terms: [1] }), film(2, { terms: [1] }), ...span(1001, 3200).map(id => film(id))]
  const app = await buildWith(t, { contents, terms: [term(1)] })
  await views(app, [...viewsOf(1001, 3), ...viewsOf(1002, 2)])
  await counted(app)
  const viewer = await viewerOf(app)
  await watch(viewer, 1, { time: 3000, percentage: 50 })
  const before = await idsFor(viewer)
  t.strictSame(before.slice(0, 2), [1001, 1002], 'but a large catalogue is not searched completely')
  t.equal(before.length, 100)
  await change(app, 'contents', 2, { weight: 1 })
  await until(async () => (await idsFor(viewer))[0] === 2)
  t.strictSame((await idsFor(viewer)).slice(0, 3), [2, 1001, 1002])
})

t.test('counting', async t => {
  const app = await buildWith(t, { contents: span(1, 3).map(id => film(id)) })
  const popularity = databaseOf(app).collection<PopularityDocument>('popularity')
  const last = async () => (await popularity.findOne({ _id: '*' }))?.counted_at.getTime() ?? 0
  const leases = databaseOf(app).collection<{ _id: string; holder: string; expires_at: Date }>('leases')

  t.test('is done before the first request, on an empty history too', async t => {
    t.ok(await last())
    const second = await build(t, { url: app.settings.MONGO_URL })
    await views(app, viewsOf(2, 2))
    await counted(app)
    const third = await build(t, { url: app.settings.MONGO_URL })
    t.strictSame(await idsFor(anybody(third)), [2, 3, 1], 'a process that starts uses the counts of others')
    t.strictSame(await idsFor(anybody(second)), [3, 2, 1])
    await learnerOf(second).learning.refreshPopular()
    t.strictSame(await idsFor(anybody(second)), [2, 3, 1], 'so does one that is running')
  })

  t.test('is not done anew so soon', async t => {
    const { learning } = learnerOf(app)
    const before = await last()
    await learning.refreshPopular()
    t.equal(await last(), before)
    const age = (ms: number, took = 1) => popularity.updateOne({ _id: '*' }, { $set: { counted_at: new Date(Date.now() - ms), took } })
    const counts = async (ms: number, took: number) => {
      await age(ms, took)
      const aged = await last()
      await learning.refreshPopular()
      return (await last()) > aged
    }
    t.notOk(await counts(490_000, 1000), 'not yet after a count of one second: counting may take a five hundredth of the time')
    t.ok(await counts(510_000, 1000))
    t.notOk(await counts(590_000, 5000))
    t.ok(await counts(610_000, 5000), 'unless the counts would be older than ten minutes')
    t.notOk(await counts(990_000, 20_000), 'but never for more than a fiftieth of the time')
    t.ok(await counts(1_010_000, 20_000))
  })

  t.test('is done by one process at a time', async t => {
    const { learning } = learnerOf(app)
    const old = new Date(Date.now() - 60_000)
    await popularity.updateOne({ _id: '*' }, { $set: { counted_at: old } })
    await app.data.leases.withLease('popularity', async () => {
      await learning.refreshPopular()
      t.equal(await last(), old.getTime(), 'another process is counting')
    })
    await learning.refreshPopular()
    t.ok((await last()) > old.getTime())
    t.equal(await leases.countDocuments({ _id: 'popularity' }), 0)
  })
})
