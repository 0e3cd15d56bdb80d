import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.js'
import { unavailable } from '../../src/errors.js'
import { moveClock, nameOf, seed } from '../catalogue/helper.js'
import { type Answer, unauthenticated } from '../helpers/answers.js'
import { build, settingsFor } from '../helpers/app.js'
import { change, seededUrl } from '../helpers/database.js'
import { content, film, rail, railCollection } from '../helpers/documents.js'
import { freezableMongod, freeze } from '../helpers/freeze.js'
import { proxyTo } from '../helpers/proxy.js'
import { until } from '../helpers/until.js'
import { type Viewer, viewerOf, watch } from '../helpers/viewer.js'
import { anybody, idsFor, learnerOf, recommendedTo, span, trainOn } from '../recommendations/helper.js'

const timed = async (request: Promise<Answer>) => {
  const began = performance.now()
  const answer = await request
  return { answer, took: performance.now() - began }
}

/** Checks that an answer takes no longer than promised. */
const inTime = async (t: Test, what: string, request: Promise<Answer>) => {
  const { answer, took } = await timed(request)
  t.ok(took < 3000, `${what} after ${took} ms`)
  return answer
}

// The timeout is that of production where the database is likeliest to need it.
for (const [away, settings] of [
  ['freeze', { DATABASE_TIMEOUT: '2000' }],
  ['silence', { DATABASE_TIMEOUT: '1000' }],
  ['leave', { DATABASE_TIMEOUT: '1000' }]
] as const) {
  t.test(`the catalogue while the database is away (${away})`, async t => {
    const url = await seededUrl(t, { ...seed(), contents: [...seed().contents, content(9, { type: 'unread', parent_id: 1 })] })
    const proxy = await proxyTo(t, url)
    const app = await build(t, { url: proxy.url, settings })
    const known = [
      '/contents?type=show',
      '/contents/1',
      '/terms',
      '/terms/1',
      '/rail-collections?with=rails',
      '/legal',
      '/support/context//texts'
    ]
    const viewer = await viewerOf(app)
    const answers = new Map<string, string>()
    for (const address of known) answers.set(address, (await app.inject(address)).body)

    proxy[away]()
    const assertKnown = async (what: string) => {
      for (const address of known) {
        const response = await app.inject(address)
        t.equal(response.statusCode, 200, `${address} ${what}`)
        t.equal(response.body, answers.get(address), `${address} ${what}`)
      }
    }
    const assertUnavailable = async (address: string) => {
      const began = performance.now()
      const response = await app.inject(address)
      const took = performance.now() - began
      t.equal(response.statusCode, 503, address)
      t.match(response.json(), { success: false, code: 503, message: String })
      t.match(response.headers['retry-after'], /^\d+$/)
      t.notMatch(response.headers['cache-control'], /public/)
      t.ok(took < 3000, `${address} took ${took} ms`)
    }
    await assertKnown('is served')
    await Promise.all(['/contents?search=9', '/contents/9', '/contents?type=unread'].map(assertUnavailable))
    await assertKnown('is served on')

    let restore = moveClock(t, 50_000)
    await assertKnown('is served for nearly a minute')
    restore()
    restore = moveClock(t, 63_000)
    for (const address of known) await assertUnavailable(address)
    for (const path of ['/history', '/watchlist'])
      t.equal((await viewer.post(path, { content_id: 404 })).statusCode, 503, `POST ${path} cannot know whether the content is new`)

    proxy.comeBack()
    const back = Date.now()
    await until(async () => (await app.inject('/contents/1')).statusCode === 200, { within: 6000, every: 50 })
    for (const address of [...known, '/contents?search=9', '/contents/9'])
      await until(async () => (await app.inject(address)).statusCode === 200, { within: 6000, every: 50 })
    t.ok(Date.now() - back < 5000, `normal after ${Date.now() - back} ms`)
    await assertKnown('is served again')
    restore()

    const direct = await build(t, { url })
    await change(direct, 'contents', 1, { name: 'After' })
    t.ok((await until(async () => (await nameOf(app, 1)) === 'After')) < 2000, 'changes show again')
  })
}

t.test('recommendations while the database is frozen', async t => {
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
  const frozen = await Promise.all(Array.from({ length: 20 }, () => inTime(t, 'signed in', viewer.get('/recommendations'))))
  for (const answer of frozen) {
    t.equal(answer.statusCode, 503)
    t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
    t.match(answer.json(), { success: false, code: 503, message: /\w/ })
  }
  const known = await inTime(t, 'without a token', anybody(app).get('/recommendations'))
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
  t.throws(
    () => app.catalogue.ageFilterFor({ country: undefined, maxAge: 6 }),
    unavailable(),
    'lists of a child are not shown by outdated ages'
  )
  t.equal(app.catalogue.ageFilterFor({ country: undefined, maxAge: undefined }), undefined, 'lists without an age limit are')
  Date.now = now
  t.equal(stale.statusCode, 503)
  t.match(stale.headers['retry-after'], /^[1-9]\d*$/)

  process.kill(mongod.pid, 'SIGCONT')
  await until(async () => (await viewer.get('/recommendations')).statusCode === 200, { within: 10_000 })
  t.strictSame(await idsFor(viewer), personal)
})

t.test('recommendations of a database that was never there', async t => {
  const app = await buildApp(settingsFor('mongodb://127.0.0.1:1/away'), { logger: false })
  t.teardown(() => app.close())
  await app.ready()
  const answer = await inTime(t, 'without a token', app.inject('/recommendations'))
  t.equal(answer.statusCode, 503)
  t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
})

const kindsOf = (answer: Answer) => answer.json().data.rows.map(({ kind }: { kind: string }) => kind)
const missing = ['continue_watching', 'recommended', 'because', 'watchlist']
const rail_collections = [railCollection(1, {}, { rails: [rail(2, { type: 'film' })] })]

const assertPublicAlone = (t: Test, answer: Answer, what: string) => {
  t.equal(answer.statusCode, 200, what)
  t.strictSame(kindsOf(answer), ['popular', 'new', 'rail'], what)
  t.strictSame(answer.json().data.missing, missing, what)
  t.equal(answer.headers['cache-control'], 'private, no-store')
}

t.test('while the database is frozen, the public rows of the start page are there', async t => {
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

t.test('while the database is away, no row proposes what this process knows to be hidden or disliked', async t => {
  const proxy = await proxyTo(t, await seededUrl(t, { contents: span(1, 30).map(id => film(id)) }))
  const app = await build(t, { url: proxy.url, settings: { DATABASE_TIMEOUT: '1000' } })
  const elsewhere = await build(t, { url: proxy.url })
  const hide = async (viewer: Viewer) => {
    await viewer.put('/hidden/30')
    await viewer.put('/ratings/29', { rating: 'dislike' })
    await viewer.put('/ratings/28', { rating: 'like' })
  }
  const [before, after, without, other, shownAgain, unknown] = await Promise.all(Array.from({ length: 6 }, () => viewerOf(app)))
  const viewers = { before, after, without, other, shownAgain, unknown } as Record<string, Viewer>
  for (const viewer of [before, shownAgain]) await hide(viewer as Viewer)
  const putElsewhere = async (viewer: Viewer) => {
    await elsewhere.data.hidden.put(viewer.id, 30)
    await elsewhere.data.ratings.put(viewer.id, 29, 'dislike')
  }
  await putElsewhere(other as Viewer)
  for (const [name, viewer] of Object.entries(viewers)) if (name !== 'without') await viewer.get('/home')
  for (const viewer of [after, without]) await hide(viewer as Viewer)
  await shownAgain?.remove('/hidden/30')
  await shownAgain?.remove('/ratings/29')
  await shownAgain?.get('/home')
  await putElsewhere(unknown as Viewer)

  proxy.freeze()
  const shownTo = async (viewer: Viewer | undefined) => {
    const answer = await inTime(t, 'the start page', (viewer as Viewer).get('/home?items=3'))
    t.strictSame(answer.json().data.missing, missing)
    return answer.json().data.rows.map(({ items }: { items: { content: { id: number } }[] }) => items.map(({ content }) => content.id))
  }
  for (const [name, viewer] of Object.entries({ before, after, without, other }))
    t.strictSame(
      await shownTo(viewer),
      [
        [28, 27, 26],
        [25, 24, 23]
      ],
      name
    )
  for (const viewer of [shownAgain, unknown])
    t.strictSame(await shownTo(viewer), [
      [30, 29, 28],
      [27, 26, 25]
    ])
})

t.test('the start page leaves out contents that were never read while the database is away', async t => {
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

t.test('a fault of the service is a 500 of the start page, and no outage', async t => {
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
