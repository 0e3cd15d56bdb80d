import t from 'tap'
import { Uptake } from '../../../src/recommendations/serving/uptake.js'
import { buildWith } from '../../helpers/app.js'
import { content, episode, film } from '../../helpers/documents.js'
import { viewerOf, watch } from '../../helpers/viewer.js'
import { anybody, idsFor, span, taught, views } from '../helper.js'

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

t.test('a title that is begun a day later is not counted', async t => {
  const app = await buildWith(t, { contents })
  const uptake = new Uptake(app.catalogue)
  const row = (id: number) => app.catalogue.skeleton.row(id) as number
  uptake.show(1, [{ title: row(2), because: row(1) }, { title: row(3) }, { title: row(4) }], 0)
  uptake.begin(1, 2, 23 * hour)
  uptake.begin(1, 3, 25 * hour)
  uptake.begin(2, 4, hour)
  uptake.begin(1, 99, hour)
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
  uptake.begin(1, 5, 23 * hour)
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
