import { type Db, type Document, MongoClient, ObjectId } from 'mongodb'
import t, { type Test } from 'tap'
import { cursorAt, cursorText, sourceCount } from '../../src/sync/index.js'
import type { HistoryDocument } from '../../src/viewing/history.js'
import { playedOf } from '../../src/viewing/played.js'
import type { Report } from '../../src/viewing/progress.js'
import { eachList } from '../../src/viewing/viewer-lists.js'
import type { WatchlistDocument } from '../../src/viewing/watchlist.js'
import { type Answer, collectionOf } from '../helpers/answers.js'
import { type App, addUser, beginSession, build, password, signIn } from '../helpers/app.js'
import { seededUrl } from '../helpers/database.js'
import { episode, film, historyDocument, programme } from '../helpers/documents.js'
import { tick } from '../helpers/until.js'
import { viewerOf, watch } from '../helpers/viewer.js'

const films = Array.from({ length: 400 }, (_, i) => film(1001 + i))
const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString()
const programmes = [programme(1, 1200, hours(-9), hours(9)), programme(2, 1201, hours(9), hours(10), { channel: 'two' })]
const contents = [film(1, { type: 'show' }), ...[2, 3, 4].map(id => episode(id, 1)), ...films]
/** Collections of which every query must use an index. */
const viewerCollections = [
  'history',
  'watchlist',
  'dismissals',
  'hidden',
  'ratings',
  'preferences',
  'seen',
  'playing',
  'removals',
  'webhook_events',
  'sessions',
  'users',
  'device_codes',
  'erasures',
  'login_attempts',
  'counters'
]

const isOfLateViews = (match?: Document) => match?.updated_at?.$gte > new Date(0) && match?.user_id === undefined

/**
 * What processes read by themselves: revisions, ended sessions, the newest model, the recent views, which one of them counts, and after the
 * start the documents that do not fit a validator.
 */
const isByTheClock = ({ ns, command }: Document) =>
  /\.(revisions|restores|popularity|models|model_chunks|leases|nudges|system\.)/.test(ns) ||
  isOfLateViews(command?.pipeline?.[0]?.$match) ||
  command?.filter?.$expr?.$gte?.[0] === '$ended_at' ||
  command?.query?.$nor !== undefined

/** The operations that the profiler of the database has recorded. */
const profile = async (t: Test, url: string) => {
  const client = await MongoClient.connect(url, { appName: 'tester' })
  t.teardown(() => client.close())
  const db: Db = client.db()
  await db.createCollection('system.profile', { capped: true, size: 32 * 1024 * 1024 })
  await db.setProfilingLevel('all')
  let from = 0
  const entries = async (): Promise<Document[]> => {
    const fresh = await db.collection('system.profile').find({ appName: 'viewer' }).sort({ $natural: 1 }).skip(from).toArray()
    from += fresh.length
    return fresh.filter(operation => !isByTheClock(operation))
  }
  return { db, entries }
}

const stages = (stage: Document | undefined): string[] =>
  stage ? [stage.stage, ...stages(stage.inputStage), ...(stage.inputStages ?? []).flatMap(stages)] : []
const short = ({ op, ns, command, planSummary, docsExamined, keysExamined }: Document) =>
  `${op} ${String(ns).split('.').pop()} ${planSummary ?? ''} keys ${keysExamined} docs ${docsExamined} ${JSON.stringify(command).slice(0, 200)}`

/** How many elements an operation on some contents may examine: one of each content for the page, and one for the count. */
const mayLookAt = ({ command: { filter, query, pipeline } }: Document): number =>
  2 * ((filter ?? query ?? pipeline?.[0]?.$match)?.content_id?.$in?.length ?? 0)

/** Whether the rows are made of lists of elements. Then only the elements come in the order of an index. */
const isUnwound = ({ command: { pipeline } }: Document) => pipeline?.some((stage: Document) => '$unwind' in stage)

/**
 * The faults of an operation: it uses no index, or sorts in memory. Elements of some contents may be sorted in memory if it examines at
 * most `mayLookAt` elements, because walking through the whole history in its order would cost more.
 */
const unindexed = (entry: Document) => {
  if (entry.op === 'insert') return []
  const seen = stages(entry.execStats)
  const faults = []
  if (!/^(IXSCAN|COUNT_SCAN|IDHACK|EOF|RECORD_STORE_FAST_COUNT)/.test(entry.planSummary)) faults.push('no index')
  if (seen.includes('COLLSCAN') || /COLLSCAN/.test(entry.planSummary)) faults.push('reads the whole collection')
  if (
    (seen.includes('SORT') || (entry.hasSortStage && !isUnwound(entry))) &&
    (mayLookAt(entry) === 0 || entry.docsExamined > mayLookAt(entry))
  )
    faults.push('sorts in memory')
  return faults.map(fault => `${fault}: ${short(entry)}`)
}

const collectionNamed = ({ ns }: Document) => ns.split('.').pop()

const fill = async (db: Db, user_id: number, count: number) => {
  const elements = films.slice(0, count).map(({ _id }, i) =>
    historyDocument({
      _id: new ObjectId(),
      user_id,
      content_id: _id,
      percentage: i % 3 === 0 ? 95 : 40,
      updated_at: new Date(1.7e12 + (i % 50)),
      ...(i % 3 === 0 && playedOf([1.7e12 + (i % 50), ...(i % 2 === 0 ? [1.6e12] : [])].map(at => new Date(at))))
    })
  )
  await db.collection<HistoryDocument>('history').insertMany(elements)
  await db.collection<WatchlistDocument>('watchlist').insertMany(
    elements.map(({ content_id, updated_at }, i) => ({
      _id: user_id * 10_000 + i,
      user_id,
      content_id,
      created_at: updated_at,
      updated_at
    }))
  )
  return elements.map(({ _id }) => _id.toHexString())
}

t.test('the operations of a request', async t => {
  const url = await seededUrl(t, { contents, programmes })
  const app = await build(t, { url, settings: { MAX_STREAMS: '1' } })
  const viewer = await viewerOf(app)
  const other = await viewerOf(app)
  const { db, entries } = await profile(t, url)
  const ids = await fill(db, viewer.id, 300)
  const theirs = await fill(db, other.id, 40)
  await viewer.remove('/continue-watching/1003')
  for (const id of [1007, 1008]) await viewer.put(`/hidden/${id}`)
  const film1001 = ids[0]

  const asked = async (request: () => Promise<Answer>) => {
    await entries()
    const answer = await request()
    return { answer, operations: await entries() }
  }
  const assertAsked = async (t: Test, what: string, request: () => Promise<Answer>, status: number, most: number) => {
    const { answer, operations } = await asked(request)
    t.strictSame(
      {
        status: answer.statusCode,
        tooMany: operations.length > most ? operations.map(short) : [],
        unindexed: operations.flatMap(unindexed)
      },
      { status, tooMany: [], unindexed: [] },
      what
    )
    return operations
  }

  const hundred = films
    .slice(0, 100)
    .map(({ _id }) => _id)
    .join()
  const lists = [
    '/history',
    '/history?page=2',
    '/history?page=15',
    '/history?page=99',
    '/history?perPage=100',
    '/history?status=completed',
    '/history?status=in_progress&page=2',
    '/history?status=watched',
    '/history?content_id=1001',
    '/history?content_id=1001,1002,1003,9999',
    `/history?content_id=${hundred}`,
    `/history?content_id=${hundred}&status=completed&perPage=5`,
    '/history?content_id=1001,1002&status=completed',
    '/history?content_id=1001,1002&status=in_progress',
    '/watchlist',
    '/watchlist?page=15',
    '/watchlist?perPage=100',
    '/watchlist?content_id=1001',
    '/watchlist?content_id=1001,1002,1003,9999',
    `/watchlist?content_id=${hundred}&page=3`
  ]
  t.test('lists ask the database once', async t => {
    for (const list of lists) {
      // The contents that this process has not yet sent are read once, in one query for all of the page.
      const cold = await assertAsked(t, `${list.slice(0, 60)} for the first time`, () => viewer.get(list), 200, 2)
      t.ok(cold.filter(({ ns }) => ns.endsWith('.contents')).length <= 1)
      await assertAsked(t, list.slice(0, 60), () => viewer.get(list), 200, 1)
    }
  })

  t.test('continue watching asks three times at most, however long the history', async t => {
    const cold = await assertAsked(t, 'for the first time', () => viewer.get('/continue-watching?page=3'), 200, 3)
    t.ok(cold.length > 0)
    const operations = await assertAsked(t, 'again', () => viewer.get('/continue-watching?page=3'), 200, 2)
    t.strictSame(
      operations.map(({ op, ns }) => `${op} ${ns.split('.').pop()}`).sort(),
      ['command history', 'query history'],
      'no getMore is needed'
    )
    const [whole] = operations.filter(({ op }) => op === 'command')
    t.ok((whole?.keysExamined ?? 0) >= 300, 'the whole history is read')
    t.equal(whole?.docsExamined, 1, 'the index covers the history: the only document is a dismissal')

    const devoted = await viewerOf(app)
    const elements = Array.from({ length: 2500 }, (_, i) =>
      historyDocument({ _id: new ObjectId(), user_id: devoted.id, content_id: 10_000 + i, updated_at: new Date(1.7e12 + i) })
    )
    await db.collection<HistoryDocument>('history').insertMany(elements)
    const [latest] = await assertAsked(t, 'in a long history', () => devoted.get('/continue-watching'), 200, 2)
    t.ok(latest?.keysExamined <= 2001, 'it reads no more than it uses')
    t.equal(latest?.docsExamined, 0)
    await assertAsked(t, 'DELETE /continue-watching/{contentId}', () => viewer.remove('/continue-watching/1001'), 200, 1)
    await assertAsked(t, 'a first one', () => other.remove('/continue-watching/1001'), 200, 1)
  })

  t.test('recommendations ask once, however long the history, and without a token not at all', async t => {
    const popular = () => app.inject('/recommendations?perPage=100')
    const cold = await assertAsked(t, 'for the first time', () => viewer.get('/recommendations?perPage=100'), 200, 2)
    t.strictSame(cold.map(({ ns }) => ns.split('.').pop()).sort(), ['contents', 'history'])
    await popular()
    const [whole] = await assertAsked(t, 'again', () => viewer.get('/recommendations?perPage=100'), 200, 1)
    t.ok(whole?.keysExamined >= 300, 'the whole history is read')
    t.equal(whole?.docsExamined, 0, 'indexes cover the history and the hidden titles')
    const newcomer = await viewerOf(app)
    await assertAsked(t, 'by a user without a history', () => newcomer.get('/recommendations'), 200, 1)
    await assertAsked(t, 'without a token', popular, 200, 0)
    await assertAsked(t, 'refused', () => viewer.get('/recommendations?perPage=0'), 400, 0)
  })

  t.test('a start page asks three times at most, however long the history, and without a token not at all', async t => {
    const home = () => viewer.get('/home?items=30')
    const cold = await assertAsked(t, 'for the first time', home, 200, 3)
    t.ok(cold.filter(({ ns }) => ns.endsWith('.contents')).length <= 1)
    const operations = await assertAsked(t, 'again', home, 200, 2)
    t.strictSame(operations.map(({ op, ns }) => `${op} ${ns.split('.').pop()}`).sort(), ['command history', 'query history'])
    const [whole] = operations.filter(({ op }) => op === 'command')
    t.ok(whole?.keysExamined >= 300, 'the whole history is read')
    t.ok(whole?.docsExamined <= 32, 'the index covers the history: the documents are 30 watchlist elements and the dismissals')
    const newcomer = await viewerOf(app)
    await assertAsked(t, 'by a user without a history', () => newcomer.get('/home'), 200, 1)
    await assertAsked(t, 'without a token', () => app.inject('/home?items=30'), 200, 0)
    await assertAsked(t, 'refused', () => viewer.get('/home?items=0'), 400, 0)
  })

  t.test('similar titles and what is on ask nothing', async t => {
    for (const path of ['/contents/1390/similar?perPage=50', '/contents/2/similar', '/schedule/now']) {
      const cold = await assertAsked(t, `${path} for the first time`, () => app.inject(path), 200, 1)
      t.ok(
        cold.every(({ ns }) => ns.endsWith('.contents')),
        'one query reads only contents that were not sent before'
      )
      await assertAsked(t, path, () => app.inject(path), 200, 0)
    }
    await assertAsked(t, 'another answer from the same contents', () => app.inject('/contents/1390/similar?perPage=49'), 200, 0)
    await assertAsked(t, 'one channel of them', () => app.inject('/schedule/now?channel=one'), 200, 0)
    await assertAsked(t, 'unknown', () => app.inject('/contents/99/similar'), 404, 0)
    await assertAsked(t, 'refused', () => app.inject('/contents/1390/similar?perPage=0'), 400, 0)
  })

  t.test('an element by id is one operation, except for its removal', async t => {
    const path = `/history/${film1001}`
    for (const [what, most, request] of [
      ['GET', 1, () => viewer.get(path)],
      ['GET from /watchlist', 1, () => viewer.get(`/watchlist/${film1001}`)],
      ['PUT', 1, () => viewer.put(path, { time: 5 })],
      ['PUT of an older observation', 1, () => viewer.put(path, { time: 5, observed_at: '2001-01-01T00:00:00Z' })],
      ['DELETE, which marks the removal', 3, () => viewer.remove(path)],
      ['DELETE from the watchlist', 3, () => viewer.remove(`/watchlist/${viewer.id * 10_000}`)]
    ] as [string, number, () => Promise<Answer>][]) {
      const operations = await assertAsked(t, what, request, 200, most)
      for (const operation of operations) t.ok(operation.docsExamined <= 1 && operation.keysExamined <= 11, short(operation))
    }
  })

  t.test('an invalid id asks nothing, an unknown one or that of another user asks twice at most', async t => {
    for (const id of ['x', '1', 'A'.repeat(24)]) {
      await assertAsked(t, `GET ${id}`, () => viewer.get(`/history/${id}`), 404, 0)
      await assertAsked(t, `PUT ${id}`, () => viewer.put(`/history/${id}`, { time: 1 }), 404, 0)
      await assertAsked(t, `DELETE ${id}`, () => viewer.remove(`/history/${id}`), 404, 0)
    }
    await assertAsked(t, 'DELETE /watchlist/x', () => viewer.remove('/watchlist/x'), 404, 0)
    for (const [id, status] of [
      [new ObjectId().toHexString(), 404],
      [theirs[0], 403]
    ] as [string, number][]) {
      await assertAsked(t, 'GET', () => viewer.get(`/history/${id}`), status, 2)
      await assertAsked(t, 'PUT', () => viewer.put(`/history/${id}`, { time: 1 }), status, 2)
      await assertAsked(t, 'DELETE', () => viewer.remove(`/history/${id}`), status, 2)
    }
    await assertAsked(t, 'DELETE /watchlist', () => viewer.remove('/watchlist/99999999'), 404, 2)
    await assertAsked(t, 'DELETE /watchlist', () => viewer.remove(`/watchlist/${other.id * 10_000}`), 403, 2)
  })

  t.test('POST /history is one operation, POST /watchlist two', async t => {
    await assertAsked(t, 'a new element', () => viewer.post('/history', { content_id: 1399, time: 1 }), 201, 1)
    await assertAsked(t, 'a known element', () => viewer.post('/history', { content_id: 1399, time: 2 }), 201, 1)
    const late = (content_id: number) => () => viewer.post('/history', { content_id, time: 2, observed_at: '2001-01-01T00:00:00Z' })
    await assertAsked(t, 'a late one, which may be older than a removal', late(1399), 201, 2)
    await assertAsked(t, 'a late one of a new element', late(1398), 201, 4)
    await assertAsked(t, 'a new element', () => viewer.post('/watchlist', { content_id: 1399 }), 201, 2)
    await assertAsked(t, 'a known element', () => viewer.post('/watchlist', { content_id: 1399 }), 201, 2)
    for (const path of ['/history', '/watchlist']) {
      await assertAsked(t, 'a content that is not there', () => viewer.post(path, { content_id: 99 }), 400, 0)
      await assertAsked(t, 'a bad body', () => viewer.post(path, { content_id: 'x' }), 400, 0)
      await assertAsked(t, 'no body', () => viewer.post(path), 400, 0)
    }
  })

  t.test('marking a show of which a part is begun is two reads and one write', async t => {
    await viewer.post('/history', { content_id: 2, time: 30 })
    const { answer, operations } = await asked(() => viewer.post('/history/watched', { content_id: 1, watched: true }))
    t.match(answer.json().data, { changed: 3 })
    // The profiler records each element of the one update.
    t.strictSame(
      operations.map(({ op }) => op),
      ['query', 'update', 'update', 'update', 'query']
    )
  })

  t.test('a heartbeat of a player is one operation, and a refusal two', async t => {
    const tv = await signIn(app, { _id: viewer.id })
    const play = (headers: Record<string, string>) => () =>
      app.inject({ method: 'POST', url: '/playing', headers, payload: { content_id: 1399 } })
    await assertAsked(t, 'the first', () => viewer.post('/playing', { content_id: 1399 }), 200, 1)
    await assertAsked(t, 'the next', () => viewer.post('/playing', { content_id: 1399 }), 200, 1)
    await assertAsked(t, 'one more device', play(tv), 409, 2)
    await assertAsked(t, 'DELETE', () => viewer.remove('/playing'), 200, 1)
    await assertAsked(t, 'a content that is not there', () => viewer.post('/playing', { content_id: 99 }), 400, 0)
  })

  t.test('hiding a title asks once, undoing it three times, and the list of hidden titles twice', async t => {
    await assertAsked(t, 'PUT', () => viewer.put('/hidden/1300'), 200, 1)
    await assertAsked(t, 'PUT again', () => viewer.put('/hidden/1300'), 200, 1)
    await assertAsked(t, 'DELETE', () => viewer.remove('/hidden/1300'), 200, 3)
    await assertAsked(t, 'DELETE again', () => viewer.remove('/hidden/1300'), 404, 1)
    await viewer.get('/hidden')
    await assertAsked(t, 'GET', () => viewer.get('/hidden'), 200, 2)
    for (const id of ['x', '99']) {
      await assertAsked(t, `PUT ${id}`, () => viewer.put(`/hidden/${id}`), 404, 0)
      await assertAsked(t, `DELETE ${id}`, () => viewer.remove(`/hidden/${id}`), 404, 0)
    }
  })

  t.test('rating a title asks once, undoing it three times, and the list of ratings twice', async t => {
    await assertAsked(t, 'PUT', () => viewer.put('/ratings/1300', { rating: 'like' }), 200, 1)
    await assertAsked(t, 'PUT again', () => viewer.put('/ratings/1300', { rating: 'dislike' }), 200, 1)
    await viewer.get('/ratings')
    await assertAsked(t, 'GET', () => viewer.get('/ratings'), 200, 2)
    const rated = await assertAsked(t, 'recommendations', () => viewer.get('/recommendations?perPage=1'), 200, 1)
    t.equal(rated[0]?.docsExamined, 0, 'an index covers the ratings')
    await assertAsked(t, 'DELETE', () => viewer.remove('/ratings/1300'), 200, 3)
    await assertAsked(t, 'DELETE again', () => viewer.remove('/ratings/1300'), 404, 1)
    for (const id of ['x', '99']) {
      await assertAsked(t, `PUT ${id}`, () => viewer.put(`/ratings/${id}`, { rating: 'like' }), 404, 0)
      await assertAsked(t, `DELETE ${id}`, () => viewer.remove(`/ratings/${id}`), 404, 0)
    }
    await assertAsked(t, 'refused', () => viewer.put('/ratings/1300', { rating: 5 }), 400, 0)
  })

  t.test('preferences are read and changed by one operation', async t => {
    for (const path of ['/preferences', '/preferences/1300']) {
      await assertAsked(t, 'a first PUT, which looks for too many titles', () => viewer.put(path, { audio: 'de' }), 200, 2)
      await assertAsked(t, 'PUT again', () => viewer.put(path, { audio: 'en' }), 200, 1)
      await assertAsked(t, 'GET', () => viewer.get(path), 200, 1)
      await assertAsked(t, 'PUT that clears, which marks the removal', () => viewer.put(path, { audio: null }), 200, 3)
      await assertAsked(t, 'PUT that clears nothing', () => viewer.put(path, { audio: null }), 200, 1)
      await viewer.put(path, { audio: 'de' })
      await assertAsked(t, 'DELETE', () => viewer.remove(path), 200, 3)
      await assertAsked(t, 'DELETE again', () => viewer.remove(path), 404, 1)
      await assertAsked(t, 'refused', () => viewer.put(path, { audio: 5 }), 400, 0)
    }
  })

  t.test('GET /changes asks once if nothing is new, and looks at no more than a page', async t => {
    let cursor = ''
    const changes = (perPage: number) => async () => {
      const answer = await viewer.get(`/changes?perPage=${perPage}&since=${cursor}`)
      cursor = answer.json().data.cursor
      return answer
    }
    for (let page = 0; page < 8; page++) {
      const [operation] = await assertAsked(t, `page ${page}`, changes(50), 200, 2)
      // Each source may read a page of its own.
      t.ok(operation?.docsExamined <= sourceCount * 52 + 1, `${operation?.docsExamined} documents`)
    }
    const settled = () => cursorText(cursorAt(viewer.id, Date.now()))
    cursor = settled()
    const [operation, ...others] = await assertAsked(t, 'nothing new', changes(100), 200, 1)
    t.strictSame([operation?.docsExamined, others], [0, []], 'and examines no document')
    for (const content_id of [1001, 1002]) await viewer.post('/watchlist', { content_id })
    cursor = settled()
    await tick()
    for (const { id } of collectionOf(await viewer.get('/watchlist?content_id=1001,1002'))) await viewer.remove(`/watchlist/${id}`)
    await assertAsked(t, 'removals', changes(100), 200, 3)
    t.strictSame((await entries()).length, 0)
  })

  t.test('a request without a valid token asks nothing', async t => {
    for (const path of [
      '/history',
      '/watchlist',
      '/continue-watching',
      '/hidden',
      '/ratings',
      '/preferences',
      '/changes',
      '/recommendations',
      `/history/${theirs[1]}`
    ])
      await assertAsked(t, path, () => app.inject({ url: path, headers: { authorization: 'Bearer x.y.z' } }), 401, 0)
  })

  t.test('DELETE of everything marks what it removes', async t => {
    // Removing the history also looks for elements ahead of the clock, and removes the dismissals.
    for (const [path, more] of [
      ['/history', 2],
      ['/watchlist', 0]
    ] as const) {
      await assertAsked(t, path, () => viewer.remove(path), 200, 7 + more)
      await assertAsked(t, `${path}, empty`, () => viewer.remove(path), 200, 3 + more)
    }
    t.equal(collectionOf(await other.get('/history?perPage=100')).length, 40)
  })
})

t.test('an element by id costs the same in a long history as in a short one', async t => {
  const url = await seededUrl(t, { contents })
  const app = await build(t, { url })
  const [short, long] = [await viewerOf(app), await viewerOf(app)]
  const { db, entries } = await profile(t, url)
  const only = await watch(short, 1001)
  const [first = ''] = await fill(db, long.id, 400)
  // MongoDB caches plans: one that was chosen for a history of one element must also suit a long one.
  for (let i = 0; i < 6; i++) {
    await short.get(`/history/${only}`)
    await short.put(`/history/${only}`, { time: i })
  }
  await entries()
  await long.get(`/history/${first}`)
  await long.put(`/history/${first}`, { time: 1 })
  await long.remove(`/history/${first}`)
  await long.remove(`/watchlist/${long.id * 10_000}`)
  const operations = await entries()
  t.equal(operations.length, 8)
  for (const operation of operations)
    t.ok(operation.keysExamined <= 11, `${operation.keysExamined} keys: ${JSON.stringify(operation.command)}`)
})

t.test('every query for viewers uses an index', async t => {
  const url = await seededUrl(t, { contents })
  const app = await build(t, { url, settings: { REFRESH_GRACE: '0' } })
  const { db, entries } = await profile(t, url)
  const users = await Promise.all(Array.from({ length: 12 }, () => addUser(app)))
  const [me, you] = users as [(typeof users)[0], (typeof users)[0]]
  for (const user of users) for (let i = 0; i < 5; i++) await beginSession(app.data, user)
  for (let i = 0; i < 8; i++) await app.data.loginAttempts.begin(`${i}@example.com`, `192.0.2.${i}`)
  const ids = await fill(db, me._id, 300)
  const theirs = await fill(db, you._id, 100)
  for (const { _id } of films.slice(0, 30)) {
    await app.data.dismissals.put(you._id, _id)
    await app.data.hidden.put(you._id, _id)
    await app.data.ratings.put(you._id, _id, 'like')
    await app.data.preferences.put(you._id, _id, { audio: 'de' })
  }
  await entries()

  const data = app.data
  const page = { page: 2, perPage: 10 }
  const refusedOr = (query: Promise<unknown>) => query.catch(() => undefined)
  const id = (i: number) => ids[i] ?? ''
  const nobody = new ObjectId().toHexString()
  const report = (content_id: number): Report => ({ content_id, progress: { time: 1 } })
  const late = (content_id: number): Report => ({ content_id, progress: { time: 1, observed_at: new Date(1e12) } })
  const queries: { [name: string]: { [query: string]: (() => unknown)[] } } = {
    reports: {
      put: [
        () => data.reports.put(me._id, report(1001)),
        () => data.reports.put(me._id, report(1400)),
        () => data.reports.put(me._id, late(1401)),
        () => data.reports.put(me._id, { ...report(1405), earlier: [1001] })
      ],
      putAll: [
        () => data.reports.putAll(me._id, [report(1001), report(1402), late(1403)]),
        () => data.reports.putAll(me._id, [{ ...late(1406), earlier: [1002] }])
      ],
      update: [
        () => data.reports.update(me._id, id(1), { time: 1 }),
        () => refusedOr(data.reports.update(me._id, nobody, { time: 1 })),
        () => refusedOr(data.reports.update(me._id, theirs[0] ?? '', { time: 1 }))
      ],
      contentOf: [() => data.reports.contentOf(me._id, id(4)), () => refusedOr(data.reports.contentOf(me._id, theirs[1] ?? ''))]
    },
    marks: {
      watched: [
        () =>
          data.marks.watched(me._id, [
            { content_id: 1001, progress: { time: 60, percentage: 100 } },
            { content_id: 1404, earlier: [1002], progress: { percentage: 100 } }
          ])
      ],
      unwatched: [() => data.marks.unwatched(me._id, [{ content_id: 1001 }, { content_id: 1404, earlier: [1002] }])]
    },
    history: {
      list: [
        () => data.history.list(me._id, page),
        () => data.history.list(me._id, { status: 'completed', ...page }),
        () => data.history.list(me._id, { status: 'in_progress', ...page }),
        () => data.history.list(me._id, { content_id: [1001, 1002], ...page }),
        () => data.history.list(me._id, page, id => id % 2 === 0),
        () => data.history.list(me._id, { content_id: [1001, 1002], status: 'completed', ...page }),
        () => data.history.list(me._id, { content_id: films.map(({ _id }) => _id), status: 'in_progress', ...page })
      ],
      byId: [() => data.history.byId(me._id, id(0)), () => refusedOr(data.history.byId(me._id, theirs[0] ?? ''))],
      remove: [() => data.history.remove(me._id, id(2)), () => refusedOr(data.history.remove(me._id, nobody))],
      wholeAndOpinions: [() => data.history.wholeAndOpinions(you._id), () => data.history.wholeAndOpinions(999)],
      completed: [() => data.history.completed(you._id), () => data.history.completed(999)],
      latestHiddenAndDismissed: [() => data.history.latestHiddenAndDismissed(you._id), () => data.history.latestHiddenAndDismissed(999)],
      wholeAndLists: [() => data.history.wholeAndLists(you._id, 10), () => data.history.wholeAndLists(999, 10)],
      resumable: [() => data.history.resumable(me._id, [1001, 1002, 9999])],
      removeAll: [() => data.history.removeAll(me._id), () => data.history.removeAll(999)]
    },
    plays: {
      list: [
        () => data.plays.list(you._id, {}, page),
        () => data.plays.list(you._id, { from: new Date(1.7e12), to: new Date(1.7e12 + 20) }, page),
        () => data.plays.list(you._id, { content_id: [1001, 1002] }, page),
        () => data.plays.list(you._id, { to: new Date() }, page, id => id % 2 === 0)
      ],
      between: [() => data.plays.between(you._id, { from: new Date(1.7e12), to: new Date() })]
    },
    allHistories: {
      estimatedSize: [() => data.allHistories.estimatedSize()],
      byUser: [() => data.allHistories.byUser().toArray()],
      views: [() => data.allHistories.views(new Date(0), 1000).toArray()]
    },
    watchlist: {
      list: [
        () => data.watchlist.list(me._id, page),
        () => data.watchlist.list(me._id, { content_id: [1001, 1002], ...page }),
        () => data.watchlist.list(me._id, { content_id: films.map(({ _id }) => _id), ...page })
      ],
      add: [() => data.watchlist.add(me._id, 1001), () => data.watchlist.add(me._id, 1400)],
      remove: [
        () => data.watchlist.remove(me._id, String(me._id * 10_000)),
        () => refusedOr(data.watchlist.remove(me._id, String(you._id * 10_000))),
        () => refusedOr(data.watchlist.remove(me._id, '987654321'))
      ],
      removeAll: [() => data.watchlist.removeAll(me._id)]
    },
    hidden: {
      list: [
        () => data.hidden.list(you._id, page, id => id % 2 === 0),
        () => data.hidden.list(you._id, page),
        () => data.hidden.list(999, page)
      ],
      put: [() => data.hidden.put(me._id, 1), () => data.hidden.put(me._id, 1)],
      remove: [() => data.hidden.remove(me._id, [1, 2]), () => refusedOr(data.hidden.remove(me._id, [1, 2]))]
    },
    ratings: {
      list: [
        () => data.ratings.list(you._id, page, id => id % 2 === 0),
        () => data.ratings.list(you._id, page),
        () => data.ratings.list(999, page)
      ],
      put: [() => data.ratings.put(me._id, 1, 'like'), () => data.ratings.put(me._id, 1, 'dislike')],
      remove: [() => data.ratings.remove(me._id, [1, 2]), () => refusedOr(data.ratings.remove(me._id, [1, 2]))]
    },
    preferences: {
      get: [() => data.preferences.get(you._id, [1001, -1])],
      put: [
        () => data.preferences.put(me._id, 1, { audio: 'de' }),
        () => data.preferences.put(me._id, 1, { audio: null }),
        () => data.preferences.put(me._id, -1, { audio: 'de' })
      ],
      remove: [() => data.preferences.remove(me._id, [-1]), () => refusedOr(data.preferences.remove(me._id, [-1]))]
    },
    changes: {
      after: [
        () => data.changes.after(me._id, { time: 0, source: -1, id: 0, content_id: 0 }, 11, { isFirst: true }),
        () => data.changes.after(you._id, { time: 1.7e12 + 5, source: 0, id: new ObjectId(), content_id: 0 }, 11, { isFirst: false }),
        ...Array.from({ length: sourceCount }, (_, source) => {
          const position = { time: Date.now() - 60_000, source, id: new ObjectId(), content_id: 0 }
          return () => data.changes.after(you._id, position, 11, { isFirst: false })
        })
      ],
      isQuiet: [() => data.changes.isQuiet(me._id, { time: Date.now() - 60_000, source: -1, id: 0, content_id: 0 })],
      present: [
        () => {
          const [history, others] = [new Set([1001, 9999]), new Set([1001])]
          return data.changes.present(you._id, { history, watchlist: others, hidden: others, ratings: others, preferences: others })
        }
      ]
    },
    dismissals: {
      put: [() => data.dismissals.put(me._id, 1), () => data.dismissals.put(me._id, 1)],
      removeUntil: [() => data.dismissals.removeUntil(me._id, new Date())]
    },
    seen: {
      add: [() => data.seen.add(me._id, [[1001], [1002, 1003]]), () => data.seen.add(me._id, [[1001]])],
      exported: [() => data.seen.exported(me._id), () => data.seen.exported(999)]
    },
    personal: {
      portions: eachList.map(
        ({ name, orderedBy }) =>
          () =>
            data.personal.portions(name, you._id, orderedBy).next()
      ),
      removeAll: [() => data.personal.removeAll(you._id)]
    },
    erasures: {
      begin: [() => data.erasures.begin(me._id, {}), () => data.erasures.begin(me._id, { iss: 'a', sub: 'b' })],
      toSweep: [() => data.erasures.toSweep()],
      claimSweep: [() => data.erasures.claimSweep(me._id)],
      endSweep: [() => data.erasures.endSweep(me._id, 1000)],
      lastOf: [() => data.erasures.lastOf('a', 'b'), () => data.erasures.lastOf('a', 'c')],
      among: [() => data.erasures.among([me._id, you._id])]
    },
    sessions: {
      begin: [
        () => beginSession(data, me),
        async () => {
          for (let i = 0; i < 101; i++) await beginSession(data, you)
        }
      ],
      renew: [
        async () => data.sessions.renew((await beginSession(data, me)).refresh_token),
        async () => {
          const { refresh_token } = await beginSession(data, me)
          await data.sessions.renew(refresh_token)
          await tick()
          t.equal(await data.sessions.renew(refresh_token), undefined, 'a spent token ends its session')
        }
      ],
      end: [async () => data.sessions.end(me._id, (await beginSession(data, me)).sid), () => data.sessions.end(you._id, 'nobody')],
      list: [() => data.sessions.list(me._id)],
      logOut: [async () => data.sessions.logOut(me._id, (await beginSession(data, me)).sid)],
      living: [() => data.sessions.living(me._id, 'nobody')],
      livingOrThrow: [() => refusedOr(data.sessions.livingOrThrow(me._id, 'nobody'))],
      hasLoggedOut: [() => data.sessions.hasLoggedOut(me._id, 'nobody')],
      endProfile: [() => data.sessions.endProfile(me._id, 999)],
      endById: [
        async () => data.sessions.endById(me._id, (await beginSession(data, me)).sid),
        async () => refusedOr(data.sessions.endById(me._id, (await beginSession(data, you)).sid)),
        () => refusedOr(data.sessions.endById(me._id, 'nobody'))
      ],
      endBegun: [async () => data.sessions.endBegun(me._id, (await beginSession(data, me)).sid)],
      endAll: [
        async () => data.sessions.endAll(me._id, (await beginSession(data, me)).sid),
        () => data.sessions.endAll(me._id),
        () => data.sessions.endAll(999)
      ],
      ended: [() => data.sessions.ended().next()]
    },
    profiles: {
      list: [() => data.profiles.list(me._id), () => data.profiles.list(999)],
      byId: [() => data.profiles.byId(me._id, me._id), () => refusedOr(data.profiles.byId(me._id, you._id))],
      othersOf: [() => data.profiles.othersOf(me._id)],
      limitOf: [() => data.profiles.limitOf(me._id, me._id), () => data.profiles.limitOf(me._id, you._id)],
      add: [() => data.profiles.add(me._id, { name: 'Mia', max_age: 6 })],
      change: [
        () => data.profiles.change(me._id, me._id, { max_age: 6 }),
        () => refusedOr(data.profiles.change(me._id, 999, { name: 'x' }))
      ],
      changedLimits: [() => data.profiles.changedLimits()]
    },
    users: {
      byId: [() => data.users.byId(me._id), () => data.users.byId(999)],
      byEmail: [() => data.users.byEmail(me.email), () => data.users.byEmail('nobody@example.com')],
      ofSession: [
        () => data.users.ofSession({ account_id: me._id, user_id: me._id }),
        () => data.users.ofSession({ account_id: me._id, user_id: 999 })
      ],
      all: [() => data.users.all().toArray()],
      add: [() => addUser(app)],
      ofProvider: [
        () => data.users.ofProvider('https://id.example.com', 'new', new Date()),
        () => data.users.ofProvider('https://id.example.com', 'new', new Date())
      ],
      setPassword: [() => data.users.setPassword(me.email, 'x')],
      changePassword: [() => data.users.changePassword(me, 'x', 'nobody')],
      maySignIn: [() => data.users.maySignIn(me)],
      replaceHash: [() => data.users.replaceHash(me._id, 'password_hash', 'x', 'y')],
      disable: [() => data.users.disable(me.email), () => data.users.disable(you._id)],
      remove: [() => data.users.remove(999)],
      disabled: [() => data.users.disabled()],
      enable: [() => data.users.enable(me.email), () => data.users.enable(you._id)]
    },
    loginAttempts: {
      retryAfter: [
        () => data.loginAttempts.retryAfter('nobody@example.com', '192.0.2.9'),
        () => data.loginAttempts.retryAfter('1@example.com', '192.0.2.1')
      ],
      forget: [() => data.loginAttempts.forget('1@example.com')],
      begin: [
        async () => (await data.loginAttempts.begin('1@example.com', '192.0.2.1')).forgive(),
        async () => {
          for (let i = 0; i < 11; i++) await data.loginAttempts.begin('2@example.com', '192.0.2.2')
        }
      ]
    }
  }

  for (const [name, given] of Object.entries(queries)) {
    const all = Object.keys(data[name as keyof typeof data]).sort()
    t.test(name, async t => {
      t.strictSame(Object.keys(given).sort(), all, 'this list lacks no query of src/data')
      for (const [query, calls] of Object.entries(given))
        for (const call of calls) {
          await call()
          const operations = await entries()
          t.ok(operations.length > 0, `${name}.${query} queries the database`)
          const others = operations.map(collectionNamed).filter(collection => !viewerCollections.includes(collection))
          t.strictSame([others, operations.flatMap(unindexed)], [[], []], `${name}.${query}`)
        }
    })
  }

  t.test('and so do the queries of a login, a refresh and a logout', async t => {
    const user = await addUser(app)
    const login = await app.inject({ method: 'POST', url: '/login', payload: { email: user.email, password } })
    const { access_token, refresh_token } = login.json().data
    await app.inject({ method: 'POST', url: '/login/refresh', payload: { refresh_token } })
    await app.inject({ method: 'POST', url: '/logout', headers: { authorization: `Bearer ${access_token}` } })
    const operations = await entries()
    t.ok(operations.length >= 5)
    t.strictSame(operations.flatMap(unindexed), [])
  })

  t.test('every collection with documents of a user is among those that an erasure empties', async t => {
    for (const { name } of await db.listCollections().toArray()) {
      // Users are removed by themselves, after everything else.
      if (name.startsWith('system.') || name === 'users') continue
      const collection = db.collection(name)
      const has = async (field: string) => (await collection.findOne({ [field]: { $exists: true } })) !== null
      // What belongs to an account may name the profile, too.
      const owner = (await has('account_id')) ? 'account_id' : (await has('user_id')) ? 'user_id' : undefined
      if (!owner) continue
      const marked = await collection.insertOne({ [owner]: 998, content_id: 1, user_code: 'x' }, { bypassDocumentValidation: true })
      await data.personal.removeAll(998)
      t.notOk(await collection.findOne({ _id: marked.insertedId }), name)
    }
  })

  t.test('the indexes of a viewer’s collections begin with the user', async t => {
    // Processes read the ended sessions of all users, and the one that moves what is left of replaced contents reads those of all users.
    for (const collection of ['history', 'watchlist', 'dismissals', 'hidden', 'ratings', 'preferences', 'seen', 'removals', 'sessions'])
      for (const { name, key, expireAfterSeconds } of await db.collection(collection).indexes())
        if (name !== '_id_' && name !== 'ended_at_1' && name !== 'content_id_1' && expireAfterSeconds === undefined)
          t.equal(Object.keys(key)[0], collection === 'sessions' ? 'account_id' : 'user_id', `${collection} ${name}`)
  })
})

t.test('a page reads its own documents alone, and the keys that it counts', async t => {
  const url = await seededUrl(t, { contents })
  const app: App = await build(t, { url })
  const viewer = await viewerOf(app)
  const { db, entries } = await profile(t, url)
  await fill(db, viewer.id, 400)
  await viewer.get('/history')
  await entries()
  await viewer.get('/history')
  await viewer.get('/watchlist')
  const pages = (await entries()).filter(({ ns }) => /history|watchlist/.test(ns))
  t.equal(pages.length, 2)
  for (const { ns, keysExamined, docsExamined, planSummary } of pages)
    t.strictSame({ keysExamined, docsExamined }, { keysExamined: 20 + 401, docsExamined: 20 }, `${ns} ${planSummary}`)
})
