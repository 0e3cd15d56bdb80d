import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.js'
import { type Answer, unauthenticated } from '../helpers/answers.js'
import { build, settingsFor } from '../helpers/app.js'
import { change } from '../helpers/database.js'
import { film } from '../helpers/documents.js'
import { freezableMongod, freeze } from '../helpers/freeze.js'
import { until } from '../helpers/until.js'
import { viewerOf, watch } from '../helpers/viewer.js'
import { anybody, idsFor, learnerOf, recommendedTo, span, trainOn } from './helper.js'

const timed = async (t: Test, what: string, request: Promise<Answer>) => {
  const began = performance.now()
  const answer = await request
  const took = performance.now() - began
  t.ok(took < 3000, `${what} after ${took} ms`)
  return answer
}

t.test('a database that freezes', async t => {
  const mongod = await freezableMongod(t)
  const app = await build(t, { url: `${mongod.url}/away`, settings: { DATABASE_TIMEOUT: '2000' } })
  for (const id of span(1, 30)) await change(app, 'contents', id, film(id))
  await until(() => app.catalogue.skeleton.size === 30)
  const viewer = await viewerOf(app)
  await watch(viewer, 3, { time: 3000, percentage: 95 })
  await trainOn(app)
  const { learning } = learnerOf(app)
  await learning.refreshModel()
  const personal = await idsFor(viewer)
  const popular = (await anybody(app).get('/recommendations')).body
  t.equal((await recommendedTo(anybody(app), '?perPage=100')).length, 30)

  await freeze(mongod.pid)
  const frozen = await Promise.all(Array.from({ length: 20 }, () => timed(t, 'signed in', viewer.get('/recommendations'))))
  for (const answer of frozen) {
    t.equal(answer.statusCode, 503)
    t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
    t.match(answer.json(), { success: false, code: 503, message: /\w/ })
  }
  const known = await timed(t, 'without a token', anybody(app).get('/recommendations'))
  t.equal(known.statusCode, 200)
  t.equal(known.body, popular, 'popular titles come from memory')
  const refused = await anybody(app).get('/recommendations', undefined, { authorization: 'Bearer x.y.z' })
  t.equal(refused.body, unauthenticated)
  await t.rejects(learning.refreshModel())
  t.equal((await anybody(app).get('/recommendations')).body, popular)

  // Once the catalogue has been unchecked for too long.
  const now = Date.now
  Date.now = () => now() + 61_000
  const stale = await anybody(app).get('/recommendations')
  Date.now = now
  t.equal(stale.statusCode, 503)
  t.match(stale.headers['retry-after'], /^[1-9]\d*$/)

  process.kill(mongod.pid, 'SIGCONT')
  await until(async () => (await viewer.get('/recommendations')).statusCode === 200, { within: 10_000 })
  t.strictSame(await idsFor(viewer), personal)
})

t.test('a database that was never there', async t => {
  const app = await buildApp(settingsFor('mongodb://127.0.0.1:1/away'), { logger: false })
  t.teardown(() => app.close())
  await app.ready()
  const answer = await timed(t, 'without a token', app.inject('/recommendations'))
  t.equal(answer.statusCode, 503)
  t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
})
