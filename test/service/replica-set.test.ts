import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, type Document, ObjectId } from 'mongodb'
import t from 'tap'
import { everybody } from '../../src/catalogue/audience.js'
import { Catalogue } from '../../src/catalogue/catalogue.js'
import { catalogueKinds } from '../../src/catalogue/kinds.js'
import { aggregateCommitted } from '../../src/database/read-all.js'
import { importFiles } from '../../src/import/index.js'
import { countPopularity } from '../../src/recommendations/learning/popularity.js'
import { trainModel } from '../../src/recommendations/learning/training.js'
import { changesPage } from '../../src/sync/index.js'
import type { HistoryDocument } from '../../src/viewing/history.js'
import { idsOf } from '../helpers/answers.js'
import { addUser, build, password, providerUser } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { content, historyDocument, term } from '../helpers/documents.js'
import { replicaSet } from '../helpers/replica-set.js'
import { addressOf, follow } from '../helpers/streams.js'
import { until } from '../helpers/until.js'
import { viewerOf } from '../helpers/viewer.js'

t.test('whatever MONGO_URL says, viewers read from the primary and write to the majority', async t => {
  const { url } = await replicaSet(t, 1)
  const asked: Document[] = []
  const options = 'readPreference=secondary&readConcernLevel=linearizable&w=0&journal=false&wtimeoutMS=5&monitorCommands=true'
  const app = await build(t, {
    url: `${url}&${options}`,
    settings: { DATABASE_TIMEOUT: '5000' },
    extend: app => void app.mongoClient.on('commandStarted', ({ command }) => asked.push(command))
  })
  const records = [1, 2].map(id => JSON.stringify({ id, type: 'film', name: `Film ${id}` }))
  await importFiles(databaseOf(app), { 'contents.ndjson': records.join('\n') })
  await until(async () => (await app.inject('/contents/2')).statusCode === 200)

  const { email } = await addUser(app)
  const logIn = await app.inject({ method: 'POST', url: '/login', payload: { email, password } })
  const { access_token, refresh_token } = logIn.json().data
  const headers = { authorization: `Bearer ${access_token}` }
  const earlier = asked.splice(0)
  const before = await app.inject({ url: '/changes', headers })
  asked.splice(0, asked.length, ...earlier)
  const requests: [method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: object][] = [
    ['POST', '/login', { email, password: 'wrong' }],
    ['POST', '/login/refresh', { refresh_token }],
    ['POST', '/history', { content_id: 1, time: 5 }],
    ['POST', '/watchlist', { content_id: 1 }],
    ['GET', '/history'],
    ['GET', '/watchlist'],
    ['GET', '/continue-watching'],
    ['DELETE', '/continue-watching/1'],
    ['GET', '/recommendations'],
    ['GET', '/contents?search=film'],
    ['DELETE', '/history'],
    ['DELETE', '/watchlist'],
    ['POST', '/logout']
  ]
  for (const [method, url, payload] of requests) {
    const { statusCode, body } = await app.inject({ method, url, headers, ...(payload && { payload }) })
    t.ok(
      statusCode === (payload && 'password' in payload ? 401 : method === 'POST' && /history|watchlist/.test(url) ? 201 : 200),
      `${url} ${body}`
    )
  }
  // Apps keep what GET /changes tells them, so none of it may be rolled back later.
  const signedIn = await app.inject({ method: 'POST', url: '/login', payload: { email, password } })
  const again = { authorization: `Bearer ${signedIn.json().data.access_token}` }
  const others = asked.splice(0)
  const listChanges = await app.inject({ url: `/changes?since=${before.json().data.cursor}`, headers: again })
  t.match(listChanges.json().data, { history: [], removed: { history: [1] } })
  const told = asked.filter(({ aggregate }) => ['users', 'history'].includes(aggregate))
  t.strictSame(
    told.map(({ readConcern }) => readConcern?.level),
    ['snapshot', 'snapshot', 'snapshot']
  )
  asked.splice(0, asked.length, ...others)

  await providerUser(app, 'https://id.example.com', 'somebody')
  await app.data.leases.withLease('a test', async () => undefined)
  await trainModel(app.data, { completedAt: 90, interestFrom: 5 })
  await countPopularity(app.data)

  const name = (command: Document) => Object.keys(command)[0] as string
  const reads = asked.filter(command => ['find', 'aggregate', 'count'].includes(name(command)))
  const writes = asked.filter(command => ['insert', 'update', 'delete', 'findAndModify'].includes(name(command)))
  const collections = new Set([...reads, ...writes].map(command => command[name(command)]))
  for (const collection of [
    'contents',
    'history',
    'leases',
    'login_attempts',
    'models',
    'popularity',
    'revisions',
    'sessions',
    'users',
    'watchlist'
  ])
    t.ok(collections.has(collection), `${collection} is read`)

  const elsewhere = reads.filter(({ $readPreference }) => $readPreference)
  t.strictSame(
    elsewhere.map(command => [command[name(command)], command.$readPreference.mode]),
    Array(elsewhere.length).fill(['history', 'secondaryPreferred']),
    'except reads of all histories'
  )
  t.ok(elsewhere.length >= 2)
  for (const command of reads) {
    const isSettled = [...catalogueKinds, 'revisions'].includes(command[name(command)])
    if (command.readConcern) t.strictSame([command.readConcern.level, isSettled], ['majority', true], JSON.stringify(command))
  }
  for (const command of writes) t.strictSame(command.writeConcern, { w: 'majority' }, JSON.stringify(command))
})

t.test('a change that the next primary may lack is not taken up before the majority has it', async t => {
  const { url, members } = await replicaSet(t, 2)
  const app = await build(t, { url })
  await importFiles(databaseOf(app), { 'contents.ndjson': '{"id":1,"type":"film","name":"One"}' })
  await until(async () => (await app.inject('/contents/1')).statusCode === 200)

  const { _id: user } = await addUser(app)
  await app.data.reports.put(user, { content_id: 1, progress: { time: 1 } })
  const toldOf = async () =>
    (await changesPage(app, { user, audience: everybody, since: undefined, perPage: 9 })).history.map(({ content_id }) => content_id)
  await until(async () => (await toldOf()).length === 1)

  // The secondary stops replicating. What is now written to the primary alone could be rolled back.
  const secondary = members[1]?.admin as Db
  await secondary.command({ fsync: 1, lock: true })
  const alone = { writeConcern: { w: 1 as const } }
  const db = databaseOf(app)
  const [contents, terms] = [db.collection<Document>('contents', alone), db.collection<Document>('terms', alone)]
  await contents.insertOne(content(2) as Document)
  await contents.updateOne({ _id: 1 as never }, { $set: { name: 'Changed' }, $currentDate: { stamp: true } })
  await terms.insertOne(term(1) as Document)
  for (const kind of ['contents', 'terms'])
    await db.collection<{ _id: string }>('revisions', alone).updateOne({ _id: kind }, { $inc: { revision: 1 } }, { upsert: true })

  const element = historyDocument({ _id: new ObjectId(), user_id: user, content_id: 2, updated_at: new Date() })
  await db.collection<HistoryDocument>('history', alone).insertOne(element)

  const shown = async () => {
    await app.catalogue.refresh()
    const [contents, terms] = [await app.inject('/contents'), await app.inject('/terms')]
    return [contents.json().data.collection.map(({ name }: { name: string }) => name), idsOf(terms)]
  }
  // A full comparison, which a process makes at its start, must not see the change either.
  const fresh = new Catalogue({ data: app.data, readContents: app.data.contents.byIds, cacheBytes: 1024 })
  await fresh.refresh()
  const before = await shown()
  const toldBefore = await toldOf()

  // A long read shows the state at its beginning, whatever the majority has at its end.
  const lasting = { $match: { $expr: { $function: { body: 'function() { sleep(3000); return true }', args: [], lang: 'js' } } } }
  const reading = aggregateCommitted<{ content_id?: number }>(db, { collectionName: 'history' }, [
    { $match: { user_id: user } },
    { $unionWith: { coll: 'users', pipeline: [{ $match: { _id: user } }, lasting] } }
  ])
  await sleep(1500)
  await secondary.command({ fsyncUnlock: 1 })
  await databaseOf(app).collection('later').insertOne({})
  const { rows, committedAt } = await reading
  t.strictSame([rows.length, rows[0]?.content_id], [2, 1])
  t.ok(committedAt < element.updated_at.getTime(), `${new Date(committedAt)}, ${element.updated_at}`)
  t.strictSame(before, [['One'], []])
  t.strictSame(toldBefore, [1], 'nor do apps that keep a copy learn of it')
  t.strictSame([fresh.isAvailable(2, everybody), fresh.terms.byId(1)], [false, undefined])

  // Once the majority has the change, it is taken up.
  await until(async () => JSON.stringify(await shown()) === JSON.stringify([['Changed', 'Content 2'], [1]]), { within: 15_000 })
  t.strictSame(await toldOf(), [1, 2])
})

t.test('a stream misses nothing that another process has acknowledged, even if the primary is killed', async t => {
  const { url, members } = await replicaSet(t, 3, 2000)
  const [app, other] = [await build(t, { url }), await build(t, { url })]
  await databaseOf(app)
    .collection<Document>('contents')
    .insertMany(Array.from({ length: 60 }, (_, i) => content(i + 1) as Document))
  await databaseOf(app)
    .collection<{ _id: string }>('revisions')
    .updateOne({ _id: 'contents' }, { $inc: { revision: 1 } }, { upsert: true })
  for (const one of [app, other]) await until(async () => (await one.inject('/contents/60')).statusCode === 200)

  const viewer = await viewerOf(other)
  const stream = await follow(t, await addressOf(app), viewer.headers)
  await until(() => stream.events.length > 0)
  const acknowledged: number[] = []
  for (let content_id = 1; content_id <= 60; content_id++) {
    if (content_id === 20) members[0]?.kill()
    await until(async () => (await viewer.post('/history', { content_id })).statusCode === 201)
    acknowledged.push(content_id)
  }
  const told = () => new Set(stream.changes().flatMap(({ history }) => history.map(({ content_id }) => content_id)))
  await until(() => told().size === acknowledged.length)
  t.strictSame(
    [...told()].sort((a, b) => a - b),
    acknowledged
  )
  t.notOk(stream.hasEnded)
})
