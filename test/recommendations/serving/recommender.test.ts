import t from 'tap'
import { interestOf } from '../../../src/recommendations/interest.js'
import { varied } from '../../../src/recommendations/serving/reasons.js'
import { interleaved } from '../../../src/recommendations/serving/served-model.js'
import { buildWith } from '../../helpers/app.js'
import { change } from '../../helpers/database.js'
import { content, episode, film, term } from '../../helpers/documents.js'
import { viewerOf, watch } from '../../helpers/viewer.js'
import { crowdOf, firstOfCrowd, idsFor, interest, recommendedTo, span, taught, views } from '../helper.js'

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
    [9000, 4.99, 0],
    [0, 4.99, 0],
    [0, 5, 0.4 + 0.6 * (5 / 90)],
    [10, 45, 0.7],
    [10, 90, 1],
    [10, 95, 1],
    [10, 100, 1]
  ] as [number, number, number][])
    t.ok(Math.abs(interestOf(time, percentage, interest) - expected) < 1e-9, `${time} s, ${percentage} %`)
})

t.test('grows with what was watched', async t => {
  const all = Array.from({ length: 96 }, (_, i) => interestOf(100, i + 5, interest))
  t.strictSame(
    all,
    [...all].sort((a, b) => a - b)
  )
  t.ok(all.every(value => value > 0 && value <= 1))
})

t.test('follows the settings', async t => {
  t.equal(interestOf(1000, 60, { completedAt: 60, interestFrom: 5 }), 1)
  t.equal(interestOf(1000, 60, { completedAt: 90, interestFrom: 61 }), 0)
  t.ok(interestOf(1000, 0.1, { completedAt: 90, interestFrom: 0 }) > 0, 'with 0, every started content counts')
})
