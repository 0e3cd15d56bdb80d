import t, { type Test } from 'tap'
import type { Answer } from '../helpers/answers.js'
import { build } from '../helpers/app.js'
import { change, seededUrl } from '../helpers/database.js'
import { film, rail, railCollection } from '../helpers/documents.js'
import { freezableMongod, freeze } from '../helpers/freeze.js'
import { proxyTo } from '../helpers/proxy.js'
import { until } from '../helpers/until.js'
import { viewerOf, watch } from '../helpers/viewer.js'
import { span } from '../recommendations/helper.js'

const timed = async (request: Promise<Answer>) => {
  const began = performance.now()
  const answer = await request
  return { answer, took: performance.now() - began }
}

const kindsOf = (answer: Answer) => answer.json().data.rows.map(({ kind }: { kind: string }) => kind)
const missing = ['continue_watching', 'recommended', 'because', 'watchlist']
const rail_collections = [railCollection(1, {}, { rails: [rail(2, { type: 'film' })] })]

const assertPublicAlone = (t: Test, answer: Answer, what: string) => {
  t.equal(answer.statusCode, 200, what)
  t.strictSame(kindsOf(answer), ['popular', 'new', 'rail'], what)
  t.strictSame(answer.json().data.missing, missing, what)
  t.equal(answer.headers['cache-control'], 'private, no-store')
}

t.test('while the database is frozen, the public rows are there', async t => {
  const mongod = await freezableMongod(t)
  const app = await build(t, { url: `${mongod.url}/home`, settings: { DATABASE_TIMEOUT: '2000', DATABASE_CONNECTIONS: '3' } })
  for (const id of span(1, 30)) await change(app, 'contents', id, film(id))
  const [{ _id, ...collection }] = rail_collections as [(typeof rail_collections)[0]]
  await change(app, 'rail_collections', _id, collection)
  await until(() => app.catalogue.skeleton.size === 30 && app.catalogue.railCollections.length === 1)
  const viewer = await viewerOf(app)
  await watch(viewer, 3, { time: 300, percentage: 40 })
  const before = (await viewer.get('/home')).body

  await freeze(mongod.pid)
  const first = await Promise.all(Array.from({ length: 12 }, () => timed(viewer.get('/home'))))
  for (const { answer, took } of first) {
    assertPublicAlone(t, answer, 'also for callers that wait for a connection')
    t.ok(took < 3000, `${took}`)
  }
  for (const path of ['/home', '/home?items=4']) {
    const { answer, took } = await timed(viewer.get(path))
    assertPublicAlone(t, answer, path)
    t.ok(took < 1500, `no caller waits again: ${took}`)
    const nobody = await timed(app.inject(path))
    t.strictSame([nobody.answer.statusCode, nobody.answer.json().data.missing], [200, []])
    t.ok(nobody.took < 1500, `${nobody.took}`)
  }

  process.kill(mongod.pid, 'SIGCONT')
  t.ok((await until(async () => (await viewer.get('/home')).body === before, { within: 10_000 })) < 5000, 'then all rows are back')
})

t.test('contents that were never read are left out while the database is away', async t => {
  const contents = span(1, 60).map(id => film(id))
  const proxy = await proxyTo(t, await seededUrl(t, { contents, rail_collections }))
  const app = await build(t, { url: proxy.url, settings: { DATABASE_TIMEOUT: '1000' } })
  const viewer = await viewerOf(app)
  await change(app, 'contents', 60, { name: 'Changed' })
  await change(app, 'contents', 59, { weight: -1 })
  await until(() => app.catalogue.skeleton.name[app.catalogue.skeleton.row(60) as number] === 'changed')
  proxy.freeze()
  const { answer, took } = await timed(app.inject('/home?items=3'))
  t.equal(answer.statusCode, 200)
  t.ok(took > 900 && took < 2600, `${took}`)
  const idsOf = (answer: Answer) =>
    answer.json().data.rows.map(({ items }: { items: { content: { id: number } }[] }) => items.map(({ content }) => content.id))
  t.strictSame(idsOf(answer)[0], [58], 'the others are as last known')
  const again = await timed(app.inject('/home?items=2'))
  t.ok(again.took < 900, `${again.took}`)
  assertPublicAlone(t, (await timed(viewer.get('/home?items=3'))).answer, 'with a token')
  proxy.comeBack()
  await until(async () => idsOf(await app.inject('/home?items=3'))[0]?.length === 3, { within: 10_000 })
})

t.test('a fault of the service is a 500, and no outage', async t => {
  const app = await build(t, { url: await seededUrl(t, { contents: [film(1)] }) })
  const viewer = await viewerOf(app)
  const { wholeAndLists } = app.data.history
  app.data.history.wholeAndLists = async () => {
    throw new TypeError('not a fault of the database')
  }
  t.equal((await viewer.get('/home')).statusCode, 500)
  app.data.history.wholeAndLists = wholeAndLists
  t.strictSame((await viewer.get('/home')).json().data.missing, [])
})
