import t from 'tap'
import { interleaved } from '../../../src/recommendations/serving/newcomers.js'
import { buildWith } from '../../helpers/app.js'
import { content, episode, film, term } from '../../helpers/documents.js'
import { viewerOf, watch } from '../../helpers/viewer.js'
import { crowdOf, firstOfCrowd, idsFor, recommendedTo, span, taught, views } from '../helper.js'

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
