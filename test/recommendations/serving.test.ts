import t from 'tap'
import { type Audience, everybody } from '../../src/catalogue/audience.js'
import { interestOf } from '../../src/recommendations/interest.js'
import type { PopularityDocument } from '../../src/recommendations/popularity-documents.js'
import { varied } from '../../src/recommendations/serving/reasons.js'
import { interleaved } from '../../src/recommendations/serving/served-model.js'
import { Uptake } from '../../src/recommendations/serving/uptake.js'
import { build, buildWith } from '../helpers/app.js'
import { change, databaseOf } from '../helpers/database.js'
import { content, episode, film, term } from '../helpers/documents.js'
import { until } from '../helpers/until.js'
import { viewerOf, watch } from '../helpers/viewer.js'
import {
  anybody,
  counted,
  crowdOf,
  daysAgo,
  firstOfCrowd,
  idsFor,
  interest,
  learnerOf,
  recommendedTo,
  span,
  taught,
  views
} from './helper.js'

const scored = (from: number, count: number, score: number) =>
  Array.from({ length: count }, (_, i) => ({ item: from + i, score: score - i }))
const places = (list: { item: number }[]) => list.flatMap(({ item }, place) => (item >= 1000 ? [place + 1] : []))

t.test('every tenth place is for a newcomer', async t => {
  const list = interleaved(scored(1, 30, 100), scored(1000, 3, 50), 20)
  t.equal(list.length, 20)
  t.strictSame(places(list), [10, 20])
  t.strictSame(
    list.slice(0, 9).map(({ item }) => item),
    [1, 2, 3, 4, 5, 6, 7, 8, 9]
  )
})

t.test('unless hardly anything speaks for it', async t => {
  t.strictSame(places(interleaved(scored(1, 30, 100), [{ item: 1000, score: 0.5 }], 20)), [])
})

t.test('newcomers follow where there is nothing else', async t => {
  t.strictSame(places(interleaved(scored(1, 4, 100), scored(1000, 2, 50), 20)), [5, 6])
  t.strictSame(interleaved([], [], 20), [])
})

t.test('a new title is recommended on its first day, by its terms, its keywords or those of its episodes', async t => {
  const [crime, nature] = [span(1, 14), span(21, 34)]
  const contents = [
    ...crime.map(id => film(id, { terms: [1], keywords: 'Police, Night' })),
    ...nature.map(id => film(id, { terms: [2], keywords: 'animals' })),
    film(40, { terms: [1] }),
    film(41, { keywords: 'night , police' }),
    content(42, { type: 'show' }),
    episode(43, 42, { terms: [1] }),
    film(44, { terms: [2] }),
    film(45, { terms: [1], deleted_at: new Date() }),
    film(46, { terms: [] })
  ]
  const app = await buildWith(t, { contents, terms: [term(1), term(2)] })
  await views(app, [...crowdOf(crime, 1, firstOfCrowd), ...crowdOf(nature, 1, firstOfCrowd + 100)])
  const viewer = await viewerOf(app)
  await watch(viewer, 1, { time: 3000, percentage: 95 })
  await taught(app)
  const first = await recommendedTo(viewer, '?perPage=10')
  t.equal(first.filter(({ id }) => id >= 40).length, 1, `${first.map(({ id }) => id)}`)
  t.match(first.at(-1), { id: /^4[0-2]$/, reason: { type: 'watched', content_id: 1 } })
  const all = await idsFor(viewer)
  for (const id of [40, 41, 42]) t.ok(all.indexOf(id) < 18, `${id} comes before what others watch: ${all}`)
  t.notOk(all.includes(45))
})

t.test('a model that is older than a replacement goes on with the titles that have replaced others, each once', async t => {
  const titles = span(1, 14)
  const app = await buildWith(t, { contents: [...titles, 50].map(id => film(id, { terms: [1] })), terms: [term(1)] })
  await views(app, crowdOf(titles, 1, firstOfCrowd))
  const viewer = await viewerOf(app)
  await watch(viewer, 1, { time: 3000, percentage: 95 })
  await taught(app)
  for (const [id, earlier] of [
    [3, 4],
    [6, 5],
    [50, 1]
  ] as const)
    await change(app, 'contents', id, { replaces: [earlier] })
  await app.catalogue.refresh()
  const all = await recommendedTo(viewer)
  t.strictSame(
    all.map(({ id }) => id).sort((a, b) => a - b),
    [2, 3, 6, ...span(7, 14)]
  )
  t.ok(
    all.every(({ reason }) => reason.type !== 'watched' || reason.content_id === 50),
    'what was watched under an earlier id speaks for them'
  )
})

t.test('what was recommended is remembered, until the viewing, the audience, the catalogue or the model is another', async t => {
  const soon = new Date(Date.now() + 3_600_000)
  const titles = span(1, 14)
  const contents = [...titles.map(id => film(id, { min_age: id === 2 ? 16 : 0 })), film(20, { start_date: soon })]
  const app = await buildWith(t, { contents })
  await views(app, crowdOf(titles, 1, firstOfCrowd))
  await taught(app)
  const { catalogue, recommender } = app
  let read = 0
  const viewing = () => {
    read++
    const watched = catalogue.skeleton.row(1) as number
    return { titles: new Map([[watched, 1]]), excluded: new Set([watched]), faded: new Set<number>() }
  }
  const again = ({ digest = 'one', maxAge = undefined as number | undefined, count = 20, now = Date.now() } = {}) => {
    const audience = { country: undefined, maxAge }
    return recommender
      .remembered(`${count} ${digest}`, audience, () => recommender.recommend(viewing(), audience, count, now), now)
      .map(({ title }) => catalogue.skeleton.idOf(title))
  }

  const first = again()
  t.strictSame(new Set(first), new Set(span(2, 14)))
  t.strictSame(again(), first)
  t.equal(read, 1)
  again({ digest: 'another' })
  t.equal(again({ count: 3 }).length, 3)
  t.notOk(again({ maxAge: 12 }).includes(2))
  t.equal(read, 4)
  t.ok(again({ now: soon.getTime() + 1 }).includes(20), 'a content that has opened is there')
  t.equal(read, 5)

  await change(app, 'contents', 3, { deleted_at: new Date() })
  await catalogue.refresh()
  t.notOk(again().includes(3))
  t.equal(read, 6)
  await taught(app)
  again()
  t.equal(read, 7)
  again()
  t.equal(read, 7)
})

t.test('titles that have faded come last, and even there at most four of ten neighbours have the same reason', async t => {
  const ids = span(1, 9)
  const app = await buildWith(t, { contents: ids.map(id => film(id)) })
  await views(app, crowdOf(ids, 1, firstOfCrowd))
  await taught(app)
  const { catalogue, recommender } = app
  const [watched = 0, ...others] = ids.map(id => catalogue.skeleton.row(id) as number)
  const viewing = (faded: number[]) => ({ titles: new Map([[watched, 1]]), excluded: new Set([watched]), faded: new Set(faded) })
  const varied = (faded: number[], count = 10) => recommender.recommendVaried(viewing(faded), everybody, count)
  const all = recommender.recommend(viewing([]), everybody, 10)
  t.strictSame(new Set(all.map(({ because }) => because)), new Set([watched]), 'all have the same reason')
  t.equal(varied([]).length, 4)
  for (const count of span(1, 8)) {
    const faded = all.slice(0, count).map(({ title }) => title)
    const shown = titles(varied(faded))
    const fresh = titles(all).filter(title => !faded.includes(title))
    t.strictSame(shown, [...fresh, ...faded].slice(0, 4), `${count} faded`)
  }
  t.strictSame(titles(varied(others, 2)), titles(all).slice(0, 2))
})

t.test('titles like one are found behind all that are excluded, and without those that have closed since', async t => {
  const titles = span(1, 130)
  const app = await buildWith(t, { contents: titles.map(id => film(id)) })
  const viewers = span(firstOfCrowd, firstOfCrowd + 29)
  await views(
    app,
    viewers.flatMap(user_id => titles.map(content_id => ({ user_id, content_id })))
  )
  await taught(app)
  const { catalogue, recommender } = app
  const rowOf = (id: number) => catalogue.skeleton.row(id) as number
  const like = (id: number, count: number, excluded: number[] = []) => recommender.similar(rowOf(id), {} as Audience, count, excluded)
  const all = like(1, 129)
  t.equal(new Set(all).size, 129)
  t.notOk(all.includes(rowOf(1)))
  const first = like(1, 10)
  t.equal(first.length, 10)
  t.strictSame(like(1, 5), first.slice(0, 5))
  t.strictSame(like(1, 8, first.slice(0, 2)), first.slice(2), 'the others keep their places')
  t.strictSame(new Set(like(1, 19, all.slice(0, 110))), new Set(all.slice(110)))
  const closed = catalogue.skeleton.idOf(first[3] as number)
  await change(app, 'contents', closed, { deleted_at: new Date() })
  await catalogue.refresh()
  t.notOk(like(1, 129).includes(rowOf(closed)))
})

const because = (because: number, count: number, from: number) => Array.from({ length: count }, (_, i) => ({ title: from + i, because }))
const popular = (count: number, from: number) => Array.from({ length: count }, (_, i) => ({ title: from + i }))
const titles = (list: { title: number }[]) => list.map(({ title }) => title)

t.test('the order stays where no reason is too frequent', async t => {
  const candidates = [...because(1, 4, 1), ...because(2, 4, 11), ...popular(9, 21)]
  t.strictSame(titles(varied(candidates, 17)), titles(candidates))
})

t.test('of ten neighbours, four have the same reason', async t => {
  t.strictSame(
    titles(varied([...because(1, 9, 1), ...because(2, 9, 11), ...popular(9, 21)], 14)),
    [1, 2, 3, 4, 11, 12, 13, 14, 21, 22, 5, 6, 7, 8],
    'a delayed title comes as soon as it may'
  )
})

t.test('it takes no more candidates than it needs', async t => {
  const endless = function* () {
    for (let title = 1; ; title++) yield { title, ...(title < 20 && { because: 1 }) }
  }
  t.strictSame(titles(varied(endless(), 12)), [1, 2, 3, 4, 20, 21, 22, 23, 24, 25, 5, 6])
  t.strictSame(varied(endless(), 0), [])
})

t.test('the list is shorter where nothing else is left', async t => {
  t.strictSame(titles(varied(because(1, 9, 1), 9)), [1, 2, 3, 4])
  t.strictSame(titles(varied([...because(1, 6, 1), ...popular(6, 11)], 20)), [1, 2, 3, 4, 11, 12, 13, 14, 15, 16, 5, 6])
  t.strictSame(varied([], 5), [])
})

t.test('how much interest an element of history tells of', async t => {
  for (const [time, percentage, expected] of [
    [0, 0, 0],
    [59, 0, 0],
    [60, 0, 0.5],
    [9000, 0, 0.5],
    [9000, undefined, 0.5],
    [undefined, undefined, 0],
    [9000, 4.99, 0],
    [0, 4.99, 0],
    [0, 5, 0.4 + 0.6 * (5 / 90)],
    [10, 45, 0.7],
    [10, 90, 1],
    [10, 95, 1],
    [10, 100, 1]
  ] as [number | undefined, number | undefined, number][])
    t.ok(Math.abs(interestOf({ time, percentage }, interest) - expected) < 1e-9, `${time} s, ${percentage} %`)
})

t.test('the furthest that an element tells of counts', async t => {
  const half = { time: 3000, percentage: 50 }
  const restarts = [
    { time: 40, percentage: 0.7 },
    { time: 0, percentage: 0 }
  ]
  const plain = interestOf(half, interest)
  for (const restart of restarts) {
    t.equal(interestOf({ ...restart, previous_time: 3000, previous_percentage: 50 }, interest), plain, 'a position before a brief start')
    t.equal(interestOf({ ...restart, previous_time: 3000, previous_percentage: 0 }, interest), 0.5, 'one without a percentage')
    t.equal(interestOf({ ...restart, plays: 2 }, interest), 1, 'a completion')
    t.equal(interestOf({ ...restart, plays: 0 }, interest), 0)
  }
  t.equal(interestOf({ ...half, previous_time: 3000, previous_percentage: 20 }, interest), plain, 'its own position, if that is further')
})

t.test('grows with what was watched', async t => {
  const all = Array.from({ length: 96 }, (_, i) => interestOf({ time: 100, percentage: i + 5 }, interest))
  t.strictSame(
    all,
    [...all].sort((a, b) => a - b)
  )
  t.ok(all.every(value => value > 0 && value <= 1))
})

t.test('follows the settings', async t => {
  t.equal(interestOf({ time: 1000, percentage: 60 }, { completedAt: 60, interestFrom: 5 }), 1)
  t.equal(interestOf({ time: 1000, percentage: 60 }, { completedAt: 90, interestFrom: 61 }), 0)
  t.ok(interestOf({ time: 1000, percentage: 0.1 }, { completedAt: 90, interestFrom: 0 }) > 0, 'with 0, every started content counts')
})

t.test('a title that is started again is still a reason', async t => {
  const titles = span(1, 8)
  const app = await buildWith(t, { contents: titles.map(id => film(id, { duration: 6000 })) })
  await views(app, crowdOf(titles, 1, firstOfCrowd))
  await taught(app)
  for (const [percentage, restart] of [
    [50, { time: 40 }],
    [50, { time: 0 }],
    [95, { time: 40 }],
    [95, { time: 0, percentage: 0 }]
  ] as const) {
    const what = `${percentage} %, then ${JSON.stringify(restart)}`
    const viewer = await viewerOf(app)
    await watch(viewer, 2, { percentage })
    if (percentage < 90) await watch(viewer, 2, { time: 60 * percentage })
    const before = await recommendedTo(viewer)
    t.match(before[0]?.reason, { type: 'watched', content_id: 2 })
    await watch(viewer, 2, restart)
    t.strictSame(await recommendedTo(viewer), before, what)
    const { rows } = (await viewer.get('/home')).json().data
    t.equal(rows.find(({ kind }: { kind: string }) => kind === 'because')?.because.content_id, 2, what)
  }
})

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
    ...viewsOf(2, 1).map(view => ({ ...view, time: 1, percentage: 0 })),
    { user_id: 1, content_id: 2, time: 0, percentage: 0, previous_time: 3000, previous_percentage: 50 },
    { user_id: 2, content_id: 2, time: 0, percentage: 0, plays: 1 },
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

const hour = 3_600_000
const completed = { time: 3000, percentage: 95 }
const contents = [...span(1, 9).map(id => film(id)), content(10, { type: 'show' }), episode(11, 10)]

t.test('recommended titles, and those of them that are begun, are counted by reason, in the metrics too', async t => {
  const app = await buildWith(t, { contents })
  await views(
    app,
    [1, 2, 3].flatMap(user => [1, 2, 10].map(content_id => ({ user_id: 100 + user, content_id })))
  )
  const viewer = await viewerOf(app)
  await watch(viewer, 1, completed)
  await taught(app)
  const counts = async () =>
    [...(await app.inject('/metrics')).body.matchAll(/^recommendations_(\w+)_total{reason="(\w+)"} (\d+)$/gm)].map(([, ...rest]) =>
      rest.join(' ')
    )
  t.strictSame(await counts(), ['shown watched 0', 'shown popular 0', 'begun watched 0', 'begun popular 0'])

  await idsFor(anybody(app))
  for (const url of ['/recommendations', '/home'])
    t.equal((await app.inject({ method: 'HEAD', url, headers: viewer.headers })).statusCode, 200)
  t.match(await counts(), ['shown watched 0', 'shown popular 0'], 'a HEAD shows nothing')
  t.equal((await idsFor(viewer)).length, 9)
  await idsFor(viewer)
  t.strictSame(
    await counts(),
    ['shown watched 2', 'shown popular 7', 'begun watched 0', 'begun popular 0'],
    'each counts once, and only for users'
  )

  await watch(viewer, 11, completed)
  await watch(viewer, 11, completed)
  await watch(viewer, 5, { time: 1, percentage: 1 })
  await watch(viewer, 1, completed)
  t.strictSame(
    await counts(),
    ['shown watched 2', 'shown popular 7', 'begun watched 1', 'begun popular 1'],
    'an episode counts for its show'
  )
})

const reportOf = (content_id: number) => ({ content_id, progress: {} })

t.test('a title that is begun a day later is not counted', async t => {
  const app = await buildWith(t, { contents })
  const uptake = new Uptake(app.catalogue)
  const row = (id: number) => app.catalogue.skeleton.row(id) as number
  uptake.show(1, [{ title: row(2), because: row(1) }, { title: row(3) }, { title: row(4) }], 0)
  uptake.begin(1, reportOf(2), 23 * hour)
  uptake.begin(1, reportOf(3), 25 * hour)
  uptake.begin(2, reportOf(4), hour)
  uptake.begin(1, reportOf(99), hour)
  t.strictSame(
    [uptake.shown, uptake.begun],
    [
      { watched: 1, popular: 2 },
      { watched: 1, popular: 0 }
    ]
  )
  uptake.show(1, [{ title: row(3) }], 25 * hour)
  t.strictSame(uptake.shown, { watched: 1, popular: 3 }, 'it counts again')
})

t.test('a title that was begun before it was recommended is not counted', async t => {
  const app = await buildWith(t, { contents })
  const viewer = await viewerOf(app)
  const { uptake } = app
  await idsFor(viewer)
  const before = new Date(Date.now() - hour).toISOString()
  const reports = [2, 3].map(content_id => ({ content_id, percentage: 95, observed_at: before }))
  await viewer.post('/history/batch', { reports })
  await viewer.post('/history', { content_id: 4, percentage: 95, observed_at: before })
  t.equal(uptake.begun.popular, 0)
  await viewer.post('/history/batch', { reports: [{ content_id: 2, observed_at: new Date(Date.now() + hour).toISOString() }] })
  await viewer.post('/history', { content_id: 3, observed_at: new Date().toISOString() })
  await viewer.post('/history', { content_id: 4 })
  t.equal(uptake.begun.popular, 3)
})

t.test('short and long lists of the same titles count each title once a day', async t => {
  const app = await buildWith(t, { contents })
  const uptake = new Uptake(app.catalogue)
  const titles = (...ids: number[]) => ids.map(id => ({ title: app.catalogue.skeleton.row(id) as number }))
  for (let at = 0; at < 24; at += 4) {
    uptake.show(1, titles(2, 3), at * hour)
    uptake.show(1, titles(2, 3, 4, 5), (at + 1) * hour)
  }
  t.equal(uptake.shown.popular, 4)
  uptake.show(1, titles(2, 3), 23 * hour)
  uptake.begin(1, reportOf(5), 23 * hour)
  t.equal(uptake.begun.popular, 1, 'also one that the last list lacks')
  uptake.show(1, titles(5), 24 * hour)
  t.equal(uptake.shown.popular, 4, 'a title that was begun does not count again on that day')
  uptake.show(1, titles(2, 3), 24 * hour)
  t.equal(uptake.shown.popular, 6, 'but every day counts')
})

t.test('where the app reports what was seen, only that counts as shown', async t => {
  const app = await buildWith(t, { contents })
  const viewer = await viewerOf(app)
  const { uptake } = app
  t.equal((await viewer.post('/recommendations/seen', { content_ids: [1] })).statusCode, 200)
  await idsFor(viewer)
  t.strictSame(uptake.shown, { watched: 0, popular: 0 }, 'a list alone does not count')
  await viewer.post('/recommendations/seen', { content_ids: [1, 2, 11] })
  t.equal(uptake.shown.popular, 3, 'an episode counts for its show')
  await viewer.post('/recommendations/seen', { content_ids: [1, 2] })
  await idsFor(viewer)
  t.equal(uptake.shown.popular, 3, 'once a day')
  await watch(viewer, 2, completed)
  await watch(viewer, 3, completed)
  t.equal(uptake.begun.popular, 2)
  t.equal(uptake.shown.popular, 4, 'what was begun has been seen')
  await viewer.post('/recommendations/seen', { content_ids: [3] })
  t.equal(uptake.shown.popular, 4)
})
