import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { BSON, type Db, Decimal128, type Document, Double, Long, MongoNetworkError, ObjectId, type RunCommandOptions } from 'mongodb'
import t, { type Test } from 'tap'
import { ensureCollections } from '../../src/database/collections.js'
import { closeSoon, connectionTo, timeoutsOf } from '../../src/database/connection.js'
import { dataOf } from '../../src/database/data.js'
import { isUnavailable } from '../../src/database/faults.js'
import { type Operation, observed } from '../../src/database/observing.js'
import { aggregateAll, aggregateCommitted, aggregateRaw, findAll } from '../../src/database/read-all.js'
import { columnReader } from '../../src/database/read-columns.js'
import { withRetries } from '../../src/database/retry.js'
import { hashPassword } from '../../src/identity/passwords.js'
import { type Answer, collectionOf } from '../helpers/answers.js'
import { addUser, beginSession, build, password, settingsFor } from '../helpers/app.js'
import { change, databaseOf, databaseUrl, openCursors, seededUrl } from '../helpers/database.js'
import { content, film } from '../helpers/documents.js'
import { proxyTo } from '../helpers/proxy.js'
import { replicaSet } from '../helpers/replica-set.js'
import { until } from '../helpers/until.js'
import { type Viewer, viewerOf, watch } from '../helpers/viewer.js'

interface Thing {
  _id: number
  tries?: number
}
const things = async (t: Test, options = '') => {
  const { client, db } = connectionTo((await databaseUrl(t)) + options)
  t.teardown(() => client.close())
  const collection = db.collection<Thing>('things')
  await collection.insertOne({ _id: 1 })
  return collection
}

t.test('options of a connection string about reads and writes are ignored, the others count', async t => {
  const path = encodeURIComponent('/a?b&c=d')
  const cases: [url: string, options: object, database: string][] = [
    ['mongodb://127.0.0.1', {}, 'viewer'],
    ['mongodb://127.0.0.1/x', {}, 'x'],
    ['mongodb://127.0.0.1/x?', {}, 'x'],
    ['mongodb://127.0.0.1/?w=1&maxPoolSize=3', { maxPoolSize: 3 }, 'viewer'],
    ['mongodb://127.0.0.1/x?maxPoolSize=3&w=0', { maxPoolSize: 3 }, 'x'],
    [
      `mongodb://u:p%3F@a,b:2/x?tlsCAFile=${path}&READPREFERENCE=nearest&readPreferenceTags=dc:a&readPreferenceTags=`,
      { tlsCAFile: '/a?b&c=d' },
      'x'
    ],
    ['mongodb://a/x?readPreference=secondary&maxStalenessSeconds=120&replicaSet=rs', { replicaSet: 'rs' }, 'x'],
    ['mongodb://a/x?readConcernLevel=linearizable&journal=false&wtimeoutMS=5&w=tag&retryWrites=false', { retryWrites: false }, 'x']
  ]
  for (const [url, options, database] of cases) {
    const { client, db } = connectionTo(url)
    t.match(client.options, options, url)
    t.equal(db.databaseName, database, url)
    for (const { readPreference, readConcern, writeConcern } of [client, db, db.collection('users')]) {
      t.equal(readPreference?.mode, 'primary', url)
      t.equal(readPreference?.tags, undefined, url)
      t.equal(readConcern, undefined, url)
      t.strictSame({ ...writeConcern }, { w: 'majority' }, url)
    }
  }
})

t.test('slow responses reach the viewer who asked, as many as the connections allow', async t => {
  const [connections, timeout] = [8, 200]
  const url = await seededUrl(t, { contents: [film(1)] })
  const proxy = await proxyTo(t, url)
  const settings = { DATABASE_TIMEOUT: String(timeout), DATABASE_CONNECTIONS: String(connections), MAX_IN_PROGRESS: '0' }
  const app = await build(t, { url: proxy.url, settings })
  const viewers: Viewer[] = []
  for (let n = 0; n < 4 * connections; n++) viewers.push(await viewerOf(app))
  const acknowledged = new Map<Viewer, number>()
  const sent = new Map<Viewer, number>()
  for (const viewer of viewers) await watch(viewer, 1, { time: viewer.id * 1000 })

  proxy.delayResponses(() => Math.random() * 2 * timeout)
  const [seconds, ends] = [5, performance.now() + 5000]
  let answered = 0
  const play = async (viewer: Viewer) => {
    for (let n = 1; performance.now() < ends; n++) {
      sent.set(viewer, n)
      const report = await viewer.post('/history', { content_id: 1, time: viewer.id * 1000 + n })
      if (report.statusCode === 201) acknowledged.set(viewer, n)
      else t.equal(report.statusCode, 503, report.body)
      const list = await viewer.get('/history')
      answered += Number(report.statusCode === 201) + Number(list.statusCode === 200)
      if (list.statusCode !== 200) t.equal(list.statusCode, 503, list.body)
      else t.match(collectionOf(list), [{ user_id: viewer.id }])
    }
  }
  await Promise.all(viewers.map(play))
  proxy.delayResponses(() => 0)

  const direct = await build(t, { url })
  for (const viewer of viewers) {
    const [{ time }] = collectionOf(await direct.inject({ url: '/history', headers: viewer.headers }))
    const [least, most] = [acknowledged.get(viewer) ?? 0, sent.get(viewer) as number]
    t.ok(time - viewer.id * 1000 >= least && time - viewer.id * 1000 <= most, `${time} of ${viewer.id}, ${least} to ${most}`)
  }
  // A response takes `timeout` on average, and more than half of them come before the request gives up.
  const possible = (connections * seconds * 1000) / timeout / 2
  t.ok(answered > possible / 2, `${answered} of ${possible}`)
})

/** An app behind a proxy, and a function that loses the response to the first command with a text. */
const losing = async (t: Test, url: string) => {
  const proxy = await proxyTo(t, url)
  const app = await build(t, { url: proxy.url })
  for (const id of [1, 2]) await change(app, 'contents', id, film(id))
  await until(() => app.catalogue.skeleton.size === 2)
  const lost = async (text: string, request: () => Promise<Answer>) => {
    const broken = proxy.at(text, proxy.cutAnswer)
    const answer = await request()
    await broken
    return answer
  }
  return { proxy, app, lost }
}

/** How an update of the history begins. The updates of nudges begin otherwise. */
const updates = 'update\0\b\0\0\0history'

const elementOf = async (viewer: Viewer) => collectionOf(await viewer.get('/history?content_id=1'))[0]

const percentages = (...reports: object[]) => ({ reports: reports.map(report => ({ content_id: 1, ...report })) })
const second = (n: number) => new Date(1.7e12 + n).toISOString()
const undated = percentages(...[100, 3, 100].map(percentage => ({ percentage })))
const dated = percentages(...[100, 3, 100].map((percentage, n) => ({ percentage, observed_at: second(n) })))

t.test('on a replica set, what is repeated after a lost response counts once', async t => {
  const { members } = await replicaSet(t, 1)
  const { proxy, app, lost } = await losing(t, `mongodb://${members[0]?.host}/viewer?directConnection=true`)

  t.test('a report and an update', async t => {
    const viewer = await viewerOf(app)
    t.equal((await lost('findAndModify', () => viewer.post('/history', { content_id: 1, percentage: 100 }))).statusCode, 201)
    const { _id, ...element } = await elementOf(viewer)
    t.match(element, { percentage: 100, plays: 1 })
    t.equal((await lost(updates, () => viewer.put(`/history/${_id}`, { time: 5 }))).statusCode, 200)
    t.match(await elementOf(viewer), { time: 5, plays: 1 })
  })

  t.test('a report whose connection broke before it was sent', async t => {
    const viewer = await viewerOf(app)
    const broken = proxy.at('findAndModify', proxy.cut)
    t.equal((await viewer.post('/history', { content_id: 1, percentage: 100 })).statusCode, 201)
    await broken
    t.match(await elementOf(viewer), { percentage: 100, plays: 1 })
  })

  t.test('a batch', async t => {
    for (const batch of [undated, dated]) {
      const viewer = await viewerOf(app)
      t.equal((await lost(updates, () => viewer.post('/history/batch', batch))).statusCode, 200)
      t.match(await elementOf(viewer), { percentage: 100, plays: 2 })
    }
  })

  t.test('a mark, and taking it back', async t => {
    const viewer = await viewerOf(app)
    for (const [watched, plays] of [
      [true, 1],
      [false, 0]
    ]) {
      const mark = () => viewer.post('/history/watched', { content_id: 1, watched })
      t.match((await lost(updates, mark)).json().data, { changed: 1 })
      t.match(await elementOf(viewer), { plays })
    }
  })
})

t.test('on a standalone server, whose driver repeats no write', async t => {
  const url = await databaseUrl(t)
  const { app, lost } = await losing(t, url)

  t.test('what would count twice is not repeated after a lost response', async t => {
    const viewer = await viewerOf(app)
    const id = await watch(viewer, 1, { time: 5 })
    const writes: [text: string, percentage: number, request: () => Promise<Answer>][] = [
      ['findAndModify', 100, () => viewer.post('/history', { content_id: 1, percentage: 100 })],
      [updates, 3, () => viewer.put(`/history/${id}`, { percentage: 3 })],
      [updates, 100, () => viewer.post('/history/batch', undated)],
      [updates, 0, () => viewer.post('/history/watched', { content_id: 1, watched: false })],
      [updates, 100, () => viewer.post('/history/watched', { content_id: 1, watched: true })]
    ]
    for (const [text, percentage, request] of writes) {
      t.equal((await lost(text, request)).statusCode, 503)
      t.match(await elementOf(viewer), { percentage }, 'it may have counted')
    }
  })

  t.test('what counts once is repeated', async t => {
    const viewer = await viewerOf(app)
    const report = { content_id: 1, percentage: 100, observed_at: second(0) }
    t.equal((await lost('findAndModify', () => viewer.post('/history', report))).statusCode, 201)
    const { _id, ...element } = await elementOf(viewer)
    t.match(element, { percentage: 100, plays: 1 })
    t.equal((await lost(updates, () => viewer.put(`/history/${_id}`, { time: 5, observed_at: second(1) }))).statusCode, 200)
    t.match(await elementOf(viewer), { time: 5, plays: 1 })
    await viewer.remove('/history')
    const other = await viewerOf(app)
    t.equal((await lost(updates, () => other.post('/history/batch', dated))).statusCode, 200)
    t.match(await elementOf(other), { percentage: 100, plays: 2 })
  })

  t.test('a removal', async t => {
    const viewer = await viewerOf(app)
    const id = await watch(viewer, 1)
    t.equal((await lost('deletes', () => viewer.remove(`/history/${id}`))).statusCode, 200)
    t.equal((await viewer.remove(`/history/${id}`)).statusCode, 404)
    await watch(viewer, 1)
    t.equal((await lost('deletes', () => viewer.remove('/history'))).statusCode, 200)
    t.strictSame(collectionOf(await viewer.get('/history')), [])
  })

  t.test('only the reports that another process was ahead of are repeated', async t => {
    const viewer = await viewerOf(app)
    const history = databaseOf(app).collection('history')
    // Stands for another process that always adds an element first.
    await history.createIndex({ user_id: 1, time: 1 }, { unique: true })
    t.teardown(() => history.dropIndex('user_id_1_time_1'))
    const reports = [...[100, 3, 100].map(percentage => ({ content_id: 1, time: 7, percentage })), { content_id: 2, time: 7 }]
    t.equal((await viewer.post('/history/batch', { reports })).statusCode, 500)
    t.match(collectionOf(await viewer.get('/history')), [{ content_id: 1, percentage: 100, plays: 2 }])
  })
})

t.test('of marks at once, each element is changed by one', async t => {
  const contents = [content(1, { type: 'show' }), ...[2, 3, 4, 5].map(id => content(id, { type: 'episode', parent_id: 1 }))]
  const app = await build(t, { url: await seededUrl(t, { contents }) })
  const viewer = await viewerOf(app)
  await watch(viewer, 2, { time: 5 })
  for (const watched of [true, false, true]) {
    const mark = async () => (await viewer.post('/history/watched', { content_id: 1, watched })).json().data.changed
    const changed = await Promise.all(Array.from({ length: 6 }, mark))
    t.equal(
      changed.reduce((sum, one) => sum + one, 0),
      4,
      `${changed}`
    )
  }
})

t.test('a read is repeated when its connection breaks', async t => {
  const proxy = await proxyTo(t, await seededUrl(t, { contents: [film(1)] }))
  const app = await build(t, { url: proxy.url })
  const viewer = await viewerOf(app)
  await viewer.post('/history', { content_id: 1, time: 30 })
  // The read of a page is a plain command, which the driver does not repeat by itself.
  const broken = proxy.at('$unionWith', proxy.cut)
  const answer = await viewer.get('/history')
  await broken
  t.equal(answer.statusCode, 200, answer.body)
  t.match(collectionOf(answer), [{ content_id: 1, time: 30 }])
})

t.test('a read is not repeated after its deadline', async t => {
  const proxy = await proxyTo(t, await databaseUrl(t))
  const app = await build(t, { url: proxy.url, settings: { DATABASE_TIMEOUT: '100' } })
  const viewer = await viewerOf(app)
  let attempts = 0
  const cutEach = (): unknown =>
    proxy
      .at('$unionWith', proxy.cut)
      .then(() => attempts++)
      .then(cutEach)
  cutEach()
  t.equal((await viewer.get('/history')).statusCode, 503)
  // The one that was under way at the deadline.
  await sleep(200)
  const before = attempts
  t.ok(before > 1, `${before} attempts`)
  await sleep(1000)
  t.equal(attempts, before)
})

t.test('a client is closed soon after its connections were cut off', async t => {
  const proxy = await proxyTo(t, await databaseUrl(t))
  for (const turns of [0, 1, 2, 3]) {
    const { client, db } = connectionTo(proxy.url)
    await db.collection('things').insertOne({})
    proxy.cut()
    for (let i = 0; i < turns; i++) await turn()
    const { topology } = client as unknown as { topology: { close: () => void } }
    const began = performance.now()
    await closeSoon(client)
    t.ok(performance.now() - began < 4000, `${turns} turns of the event loop later`)
    // What the driver still waits for would keep this process alive.
    topology.close()
  }
})

t.test('a refresh whose answer was lost on its way from the database is no second use of its token', async t => {
  const proxy = await proxyTo(t, await databaseUrl(t))
  const app = await build(t, { url: proxy.url })
  const { refresh_token } = await beginSession(app.data, await addUser(app))
  const refresh = (token: string) => app.inject({ method: 'POST', url: '/login/refresh', payload: { refresh_token: token } })
  const broken = proxy.at('spent', proxy.cutAnswer)
  const answer = await refresh(refresh_token)
  await broken
  t.equal(answer.statusCode, 200, answer.body)
  t.equal((await refresh(answer.json().data.refresh_token)).statusCode, 200, 'the new token works')
  t.equal((await refresh(refresh_token)).statusCode, 401, 'the old one does not')
})

t.test('a connection that ends while it is written to is a temporary fault', async t => {
  const server = createServer(socket => socket.end()).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').resume()
  await once(socket, 'end')
  // The driver passes the error of its socket on as it is.
  const ended: Promise<Error[]> = once(socket, 'error')
  socket.write('a question')
  const [error] = await ended
  t.match(error, { code: 'EPIPE' })
  t.ok(isUnavailable(error))
  t.notOk(isUnavailable(Object.assign(new Error('a fault of our own'), { code: 'EACCES' })))

  const app = await build(t, {
    extend: app => void app.post('/writes', { config: { admission: 'public' } }, async () => Promise.reject(error))
  })
  const answer = await app.inject({ method: 'POST', url: '/writes' })
  t.equal(answer.statusCode, 503)
  t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
})

t.test('a write that lost a race is repeated on the result of the winner, a wrong one is made only once', async t => {
  const collection = await things(t)
  let tries = 0
  await withRetries<unknown>(() =>
    ++tries === 1 ? collection.insertOne({ _id: 1 }) : collection.updateOne({ _id: 1 }, { $set: { tries } })
  )
  t.strictSame(await collection.findOne(), { _id: 1, tries: 2 })

  tries = 0
  const duplicate = () => {
    tries++
    return collection.insertOne({ _id: 1 })
  }
  await t.rejects(withRetries(duplicate, Date.now() - 1), { code: 11000 })
  t.equal(tries, 2, 'a lost race is retried, however late it is')

  tries = 0
  const lostThenDuplicate = () => (tries === 0 ? Promise.reject(new MongoNetworkError(`try ${++tries}`)) : duplicate())
  await t.rejects(withRetries(lostThenDuplicate, Date.now() + 40), { code: 11000 })
  t.equal(tries, 3, 'also after an attempt whose connection broke')

  tries = 0
  const wrong = () => {
    tries++
    return collection.updateOne({ _id: 1 }, { $nonsense: {} })
  }
  await t.rejects(withRetries(wrong), /\$nonsense/)
  t.equal(tries, 1)
})

t.test('a pool without a free connection is a temporary fault, a wrong query is not', async t => {
  const collection = await things(t, '?maxPoolSize=1&waitQueueTimeoutMS=1000')
  const busy = collection.find({ $where: 'sleep(2500) || true' }).toArray()
  const refused = await collection.findOne().catch((error: unknown) => error)
  t.match(refused, { name: 'MongoWaitQueueTimeoutError' })
  t.ok(isUnavailable(refused))
  t.equal((await busy).length, 1)
  t.notOk(isUnavailable(await collection.findOne({ $nonsense: 1 }).catch((error: unknown) => error)))
  t.notOk(isUnavailable(new Error('a fault of our own')))
})

t.test('a login that could not be decided', async t => {
  const logInAt =
    (app: Awaited<ReturnType<typeof build>>) =>
    (email: string, remoteAddress = '127.0.0.1') =>
      app.inject({ method: 'POST', url: '/login', payload: { email, password }, remoteAddress })

  t.test('because too many were waiting is a 429, and not a failed login', async t => {
    const app = await build(t, { settings: { LOGIN_LIMIT: '1' } })
    const logIn = logInAt(app)
    const slowHash = hashPassword(password)
    const users = await Promise.all(
      Array.from({ length: 4 * availableParallelism() + 60 }, () => addUser(app, undefined, undefined, slowHash))
    )
    const crowd = await Promise.all(users.map(({ email }, i) => logIn(email, `192.0.2.${i}`)))
    const refused = users.filter((_, i) => crowd[i]?.statusCode === 429)
    t.ok(refused.length > 0 && refused.length < users.length, `${refused.length} of ${users.length} are refused`)
    for (const answer of crowd) {
      if (answer.statusCode === 200) continue
      t.strictSame(answer.json(), { success: false, code: 429, message: 'Too many requests, try again later' })
      t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
    }
    const attempts = await databaseOf(app).collection('login_attempts').find().toArray()
    t.ok(attempts.length > 0 && attempts.every(({ count }) => count === 0), 'no attempt is counted')
    for (const { email } of refused.slice(0, 3))
      t.equal((await logIn(email, `192.0.2.${users.findIndex(user => user.email === email)}`)).statusCode, 200)
  })

  for (const [when, question] of Object.entries({
    'before the attempt was counted': 'login_attempts',
    'before it was given back': '$inc'
  })) {
    t.test(`since the database went away ${when} is a 503`, async t => {
      const proxy = await proxyTo(t, await databaseUrl(t))
      const app = await build(t, { url: proxy.url, settings: { DATABASE_TIMEOUT: '500' } })
      const logIn = logInAt(app)
      const { email } = await addUser(app)
      const gone = proxy.at(question, proxy.leave)
      const answer = await logIn(email)
      await gone
      t.equal(answer.statusCode, 503, answer.body)
      t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
      proxy.comeBack()
      let status = 0
      for (const ends = Date.now() + 5000; status !== 200 && Date.now() < ends; ) status = (await logIn(email)).statusCode
      t.equal(status, 200)
    })
  }
})

const count = 70
const order = { $sort: { _id: -1 } }
const hint = { _id: 1 }

interface LargeThing extends Document {
  _id: number
  filler: string
}

/** Documents of 35 MB together, which takes three batches. */
const filled = async (t: Test, url: string) => {
  const { client, db } = connectionTo(url)
  t.teardown(() => client.close())
  const filler = 'x'.repeat(500_000)
  await db.collection<LargeThing>('things').insertMany(Array.from({ length: count }, (_, _id) => ({ _id, filler })))
  return db
}

const largeThings = { collectionName: 'things' }
const reads: Record<string, (db: Db) => Promise<{ _id: number }[]>> = {
  aggregateAll: db => aggregateAll<LargeThing>(db, largeThings, [order]),
  aggregateRaw: async db => (await aggregateRaw(db, largeThings, [order], { hint })).map(row => BSON.deserialize(row) as LargeThing),
  aggregateCommitted: async db => (await aggregateCommitted<LargeThing>(db, largeThings, [order])).rows,
  findAll: async db => (await findAll(db, db.collection<LargeThing>('things'), {})).reverse()
}

t.test('a primary that steps down while rows are read as bytes', async t => {
  const { url, members } = await replicaSet(t, 1)
  const [primary] = members as [(typeof members)[0]]
  const { client, db } = connectionTo(url, { retryReads: false })
  t.teardown(() => client.close())
  await until(() =>
    db
      .collection<Thing>('things')
      .insertOne({ _id: 1 })
      .then(
        () => true,
        () => false
      )
  )
  await db.collection('things').createIndex({ at: 1 })
  const errors: unknown[] = []
  let isOver = false
  const repeat = async (read: () => Promise<unknown>) => {
    while (!isOver) await read().catch(error => errors.push(error))
  }
  const reads = [() => aggregateRaw(db, { collectionName: 'things' }, [], { hint: { at: 1 } }), () => db.collection('things').findOne()]
  const readers = reads.flatMap(read => Array.from({ length: 20 }, () => repeat(read)))
  for (let times = 0; times < 5 && errors.length === 0; times++) {
    await primary.admin.command({ replSetStepDown: 1, force: true })
    await until(async () => (await primary.admin.command({ hello: 1 })).isWritablePrimary)
  }
  isOver = true
  await Promise.all(readers)
  t.ok(errors.length > 0)
  t.ok(errors.every(isUnavailable))
})

t.test('options reach the observed driver', async t => {
  const { client, db } = connectionTo(await databaseUrl(t))
  t.teardown(() => client.close())
  const operations: Operation[] = []
  const wrapped = observed(db, operation => operations.push(operation))
  const things = wrapped.collection('things', { readConcern: 'majority' })
  t.equal(things.readConcern?.level, 'majority')
  await things.insertOne({ user_id: 1 })
  t.match(operations, [{ collection: 'things', kind: 'insertOne' }])
})

t.test('every write to a list of viewers is told', async t => {
  const { client, db } = connectionTo(await databaseUrl(t))
  t.teardown(() => client.close())
  await ensureCollections(db)
  const told: number[][] = []
  const data = dataOf(db, settingsFor('mongodb://'), { onChange: users => told.push(users) })
  const report = (content_id: number, observed_at?: Date) => ({ content_id, progress: { time: 1, observed_at } })
  const id = (await data.reports.put(1, report(1))) as string
  const writes: Record<string, () => Promise<unknown>> = {
    'a report': () => data.reports.put(1, report(1)),
    'a late one': () => data.reports.put(1, report(2, new Date(0))),
    'one of a replaced title': () => data.reports.put(1, { ...report(3), earlier: [4] }),
    'several at once': () => data.reports.putAll(1, [report(5), report(6)]),
    'an update': () => data.reports.update(1, id, { time: 2 }),
    'a late update': () => data.reports.update(1, id, { time: 2, observed_at: new Date(0) }),
    'a mark as watched': () => data.marks.watched(1, [{ content_id: 1, progress: { percentage: 100, onlyCompletes: true } }]),
    'a mark as unwatched': () => data.marks.unwatched(1, [{ content_id: 1 }]),
    'a removal': () => data.history.remove(1, id),
    'a clearing of the history': () => data.history.removeAll(1),
    'an element of the watchlist': () => data.watchlist.add(1, 1),
    'a clearing of the watchlist': () => data.watchlist.removeAll(1),
    'a hidden title': () => data.hidden.put(1, 1),
    'one that is shown again': () => data.hidden.remove(1, [1]),
    'a rating': () => data.ratings.put(1, 1, 'like'),
    'a rating that is taken back': () => data.ratings.remove(1, [1]),
    preferences: () => data.preferences.put(1, 1, { audio: 'en' }),
    'preferences that are removed': () => data.preferences.remove(1, [1]),
    'a move': async () => {
      await data.hidden.put(1, 8)
      told.length = 0
      await data.moves.step('hidden', new Map([[9, [8]]]), async () => ({}))
    }
  }
  for (const [what, write] of Object.entries(writes)) {
    told.length = 0
    await write()
    t.strictSame([...new Set(told.flat())], [1], what)
  }
})

t.test('what does not fit into one batch is read to its end', async t => {
  const db = await filled(t, await databaseUrl(t))
  for (const [name, read] of Object.entries(reads)) {
    const rows = await read(db)
    t.strictSame(
      rows.map(({ _id }) => _id),
      Array.from({ length: count }, (_, i) => count - 1 - i),
      name
    )
    t.strictSame(await openCursors(db), [], name)
  }
})

/** One cursor in a thousand has an id below 2 ** 53, which the driver turns into a number. Here, each has. */
const withSmallIds = (db: Db) => {
  const ids = new Map<string, Long>()
  const real = (id: unknown) => (id instanceof Long ? (ids.get(String(id)) ?? id) : id)
  return Object.assign(Object.create(db), {
    command: async (command: Document, options?: RunCommandOptions) => {
      const { getMore, cursors } = command
      const reply = await db.command(
        { ...command, ...(getMore && { getMore: real(getMore) }), ...(cursors && { cursors: cursors.map(real) }) },
        options
      )
      const { cursor } = reply
      const small = 2 ** 52 + ids.size
      const { id } = cursor instanceof Uint8Array ? BSON.deserialize(cursor) : (cursor ?? {})
      if (!id) return reply
      ids.set(String(small), Long.fromValue(id))
      if (cursor instanceof Uint8Array)
        cursor.set(Long.fromNumber(small).toBytesLE(), Buffer.from(cursor).indexOf(Buffer.from(id.toBytesLE())))
      else cursor.id = small
      return reply
    }
  }) as Db
}

t.test('a cursor with a small id is read to its end, and closed if that fails', async t => {
  const proxy = await proxyTo(t, await databaseUrl(t))
  const db = await filled(t, proxy.url)
  for (const [name, read] of Object.entries(reads)) {
    t.equal((await read(withSmallIds(db))).length, count, name)
    proxy.at('getMore', proxy.cut)
    await t.rejects(read(withSmallIds(db)), name)
    await until(async () => (await openCursors(db)).length === 0)
  }
})

t.test('a read whose connection breaks between batches fails, and leaves no cursor open', async t => {
  const proxy = await proxyTo(t, await databaseUrl(t))
  const db = await filled(t, proxy.url)
  for (const [name, read] of Object.entries(reads)) {
    const closing = proxy.at('getMore', proxy.cut).then(() => proxy.at('killCursors', proxy.cut))
    const error = await read(db).catch((error: unknown) => error)
    t.ok(isUnavailable(error), name)
    await closing
    await until(async () => (await openCursors(db)).length === 0)
  }
})

t.test('a read on which the server does not go on ends in time', async t => {
  const proxy = await proxyTo(t, await databaseUrl(t))
  const db = await filled(t, proxy.url)
  const { client, db: hurried } = connectionTo(proxy.url, timeoutsOf(1500))
  t.teardown(() => client.close())
  proxy.at('getMore', proxy.freeze)
  const began = performance.now()
  const error = await aggregateAll<LargeThing>(hurried, largeThings, [order]).catch((error: unknown) => error)
  t.ok(isUnavailable(error))
  t.ok(performance.now() - began < 5000)
  proxy.comeBack()
  t.equal((await aggregateAll<LargeThing>(hurried, largeThings, [order])).length, count, 'the next one is whole')
  await until(async () => (await openCursors(db)).length === 0)
})

t.test('a cursor that the server does not know is a failure that passes', async t => {
  const { client, db } = connectionTo(await databaseUrl(t))
  t.teardown(() => client.close())
  const error = await db.command({ getMore: BSON.Long.fromNumber(12_345), collection: 'things' }).catch((error: unknown) => error)
  t.match(error, { codeName: 'CursorNotFound' })
  t.ok(isUnavailable(error))
})

const values = ['time', 'times', 'content_id'] as const

type Row = Record<(typeof values)[number] | 'at', unknown>

const read = columnReader<Row>({ time: 'value', times: 'value', content_id: 'value', at: 'moment' })

/** What the driver reads. Only dates are moments. */
const expected = (documents: Uint8Array[]) => {
  const rows = documents.map(document => BSON.deserialize(document))
  const milliseconds = ({ at }: Document) => (at instanceof Date ? at.getTime() : undefined)
  const column = (value: (row: Document) => unknown, name: string) => rows.slice(0, rows.findLastIndex(row => name in row) + 1).map(value)
  return { ...Object.fromEntries(values.map(name => [name, column(row => row[name], name)])), at: column(milliseconds, 'at') }
}

/** The documents of two batches. */
const raw = (...documents: object[]) =>
  [documents.slice(0, 2), documents.slice(2)].flatMap(rows => {
    const { rows: found } = BSON.deserialize(BSON.serialize({ rows }), { fieldsAsRaw: { rows: true } })
    return found as Uint8Array[]
  })

t.test('numbers, nulls and moments, in any order, whatever is missing', async t => {
  const documents = raw(
    { time: 1, times: 2, content_id: 3 },
    { content_id: -(2 ** 31), time: 2 ** 31 - 1, at: new Date('2026-11-24T20:15:00.123Z') },
    { at: new Date(-1), times: 12.5, time: new Double(7), content_id: 2 ** 53 },
    { time: null, times: -0, content_id: Number.NaN, at: new Date(8.64e15) },
    {}
  )
  const columns = read(documents)
  t.strictSame(columns, expected(documents))
  t.strictSame(columns.time, [1, 2 ** 31 - 1, 7, null])
  t.strictSame(columns.at, [undefined, Date.parse('2026-11-24T20:15:00.123Z'), -1, 8.64e15])
  t.ok(Object.is(columns.times[3], -0))
})

t.test('any other value is what the driver reads', async t => {
  const id = new ObjectId()
  const documents = raw(
    { time: Long.fromNumber(2 ** 40), content_id: 1, at: new Date(1) },
    { time: 1, content_id: 'one', at: 'one' },
    { time: [1, 2], times: { time: 3 } },
    { time: new Date(5), times: true, content_id: id },
    { times: Decimal128.fromString('1.5'), at: 1.5 },
    { time: 1, tim: 2, other: 3, content_id: 4, at: null },
    { times: 5, at: 5 }
  )
  const columns = read(documents)
  t.strictSame(columns, expected(documents))
  t.strictSame(columns.content_id, [1, 'one', undefined, id, undefined, 4])
  t.strictSame(columns.at, [1, ...Array(6)])
})

t.test('no documents', async t => {
  t.strictSame(read([]), { time: [], times: [], content_id: [], at: [] })
})
