import { Decimal128, type Document, Long, MongoClient, ObjectId } from 'mongodb'
import t from 'tap'
import { startMongod } from '../../scripts/mongod/start.js'
import { ensureCollections, validators } from '../../src/database/collections.js'
import { build } from '../helpers/app.js'
import { databaseOf, databaseUrl } from '../helpers/database.js'
import { film, legal, person, programme, rail, railCollection, supportText, term } from '../helpers/documents.js'
import { until } from '../helpers/until.js'
import { viewerOf } from '../helpers/viewer.js'

const at = new Date('2026-01-02T03:04:05Z')
const decimal = Decimal128.fromString('1.5')
const beyondSafe = Long.MAX_VALUE
/** Dates that the wire form cannot express. */
const beyondYears = [new Date('+012345-01-01T00:00:00Z'), new Date('-000001-01-01T00:00:00Z')]

const dates = [undefined, null, '2026-01-01T00:00:00Z', 5, [at], ...beyondYears]
const texts = [undefined, null, 5, ['x'], { en: 'x' }, decimal]
const numbers = [undefined, null, 'x', Number.NaN, Number.POSITIVE_INFINITY, -1, decimal, beyondSafe, [1, 2], {}]
const ids = [...numbers, 0, 1.5, 2 ** 53]
const languages = [...texts, 'en\n', 'en\nx', 'ü', '日本', 'en us', 'EN', '', 'e', 'a-very-long-language-tag', '-en', 'x'.repeat(5000)]

const element = { user_id: 1, content_id: 5, created_at: at, updated_at: at }
const elementDates = { created_at: dates, arrived_at: dates.slice(2), asked_at: dates.slice(2) }
const railValues = {
  name: texts,
  mname: texts,
  query: [undefined, null, 5, 'type=show', ['type'], { type: ['show'] }, { type: null }, { type: { $gt: '' } }],
  framework_through_key: ids,
  created_at: dates,
  updated_at: dates
}
const within = (values: Record<string, unknown[]>) =>
  Object.entries(values).flatMap(([field, wrong]) => wrong.map(value => [{ ...rail(1, {}), [field]: value }]))

/** A document that fits, and values of its fields that do not. */
const cases: Record<string, [Document, Record<string, unknown[]>]> = {
  users: [
    { _id: 5, name: '', disabled_at: null, created_at: at, updated_at: at },
    {
      _id: ids,
      name: texts,
      email: texts.slice(2),
      disabled_at: dates.slice(2),
      max_age: [-1, 'x'],
      account_id: ids.slice(2),
      created_at: dates
    }
  ],
  sessions: [
    { _id: 'x', account_id: 1, ended_at: at, expires_at: at },
    { account_id: ids, expires_at: dates, ended_at: dates, logged_out: [1] }
  ],
  terms: [term(5), { _id: ids, vendor_id: texts, name: texts, taxonomy: texts, created_at: dates, updated_at: dates }],
  people: [person(5, 'Ines'), { _id: ids, name: texts, image: [undefined, ...texts.slice(2)], created_at: dates, updated_at: dates }],
  rail_collections: [
    railCollection(5, { type: 'show', parent_id: 5 }, { rails: [rail(1, { type: 'film', search: 24 })] }),
    { ...railValues, _id: ids, rails: [undefined, 'x', [null], ['x'], ...within({ ...railValues, id: ids })] }
  ],
  legal_documents: [
    legal('zh-hant'),
    { _id: languages, title: texts, sections: [undefined, null, 'x', {}, [null], ['x'], [{ title: 'x' }], [{ title: 5, content: 'x' }]] }
  ],
  support_texts: [
    supportText(5, 'en'),
    { id: ids, context: texts, language: languages, title: texts, content: texts, created_at: dates, updated_at: dates }
  ],
  programmes: [
    programme(5, 1, '2026-03-01T10:00:00Z', '2026-03-01T11:00:00Z'),
    { _id: ids, channel: texts, starts_at: dates, ends_at: dates, content_id: ids }
  ],
  history: [
    { ...element, _id: new ObjectId(), time: 1e300, percentage: 0 },
    {
      ...elementDates,
      _id: ['x', 7],
      user_id: ids,
      content_id: ids,
      time: numbers,
      percentage: numbers,
      updated_at: dates,
      plays: [...ids.slice(1, 10), 1.5],
      watched_at: dates.slice(2),
      played: [null, 5, [at], {}, { at: null }, { at: ['x'] }, { at: [at, null] }, ...beyondYears.map(moment => ({ at: [moment] }))],
      played_count: [-1, 1.5, 'x'],
      asked_at: []
    }
  ],
  watchlist: [
    { ...element, _id: 5 },
    { ...elementDates, _id: ids, user_id: ids, content_id: ids, updated_at: dates }
  ],
  hidden: [
    { ...element, _id: new ObjectId() },
    { ...elementDates, content_id: ids }
  ],
  ratings: [
    { ...element, _id: new ObjectId(), rating: 'like' },
    { ...elementDates, content_id: ids, rating: [...texts, 'love'] }
  ],
  preferences: [
    { ...element, _id: new ObjectId(), content_id: -1, audio: null },
    { content_id: ['x', 1.5, decimal], audio: [5, {}], subtitles: [5, []], updated_at: dates }
  ],
  dismissals: [
    { _id: new ObjectId(), user_id: 1, content_id: 5, at },
    { content_id: ids, at: dates }
  ],
  removals: [
    { _id: new ObjectId(), user_id: 1, list: 'history', content_id: 0, at },
    { content_ids: ['x', ['x'], [decimal], [1.5]], list: texts, at: dates, before: dates.slice(2) }
  ],
  seen: [
    { _id: new ObjectId(), user_id: 1, titles: [{ content_id: 1, at: [at] }] },
    { titles: [undefined, 'x', [1], [{ content_id: 1 }], [{ content_id: 1, at: [5] }], [{ content_id: 1, at: beyondYears }]] }
  ]
}

t.test('the database refuses documents that cannot be served', async t => {
  const app = await build(t)
  const db = databaseOf(app)
  t.strictSame(Object.keys(cases).sort(), Object.keys(validators).sort())
  for (const [name, [fitting, wrong]] of Object.entries(cases)) {
    const collection = db.collection(name)
    const refusals = Object.entries(wrong).flatMap(([field, values]) =>
      values.map(async value => {
        const { [field]: _, ...rest } = fitting
        const document = value === undefined ? rest : { ...rest, [field]: value }
        // MongoDB adds an `_id` that is missing.
        if (field === '_id' && (value === undefined || Array.isArray(value))) return
        const error = await collection.insertOne(document).catch(error => error)
        t.equal(error.code, 121, `${name} ${field} ${JSON.stringify(value)?.slice(0, 50)}`)
      })
    )
    await Promise.all(refusals)
    t.equal(await collection.countDocuments(), 0, name)
    await collection.insertOne({ ...fitting, more: 1 })
    await t.rejects(
      collection.updateOne({}, { $set: { user_id: 'x', account_id: 'x', created_at: 'x', title: 5, channel: 5 } }),
      { code: 121 },
      name
    )
  }
})

t.test('collections that exist get their validators, whoever sets them first', async t => {
  const url = await databaseUrl(t)
  const client = await MongoClient.connect(url)
  t.teardown(() => client.close())
  const db = client.db()
  await db.createCollection('history')
  await db.createCollection('ratings', { validator: { old: 1 }, validationLevel: 'moderate' })
  const optionsOf = async () =>
    new Map((await db.listCollections({}, { nameOnly: false }).toArray()).map(({ name, options }) => [name, options]))
  t.strictSame(await Promise.all(Array.from({ length: 4 }, () => ensureCollections(db))), [[], [], [], []])
  for (const [name, validator] of Object.entries(validators))
    t.strictSame((await optionsOf()).get(name), { validator, validationLevel: 'strict', validationAction: 'error' }, name)
})

t.test('a collection that cannot have a validator stops the start', async t => {
  const client = await MongoClient.connect(await databaseUrl(t))
  t.teardown(() => client.close())
  await client.db().createCollection('terms', { viewOn: 'users', pipeline: [] })
  await t.rejects(ensureCollections(client.db()), /view/)
})

t.test('documents that were there before', async t => {
  const url = await databaseUrl(t)
  const client = await MongoClient.connect(url)
  t.teardown(() => client.close())
  const db = client.db()
  const log: string[] = []
  const warnings = () => log.map(line => JSON.parse(line)).filter(({ msg }) => /validator/.test(msg))
  const seed = (name: string, ...documents: Document[]) => db.collection(name).insertMany(documents, { bypassDocumentValidation: true })
  await seed('contents', film(1))
  const { created_at, ...dateless } = term(2)
  await seed('terms', term(1), dateless)
  const first = await build(t, { url })
  const viewer = await viewerOf(first)
  await seed('history', { _id: new ObjectId(), user_id: viewer.id, content_id: 1, updated_at: at })

  const app = await build(t, { url, log })
  await until(() => warnings().length >= 2)
  t.match(warnings(), [
    { collection: 'terms', count: 1, msg: 'documents of terms do not fit its validator: 1' },
    { collection: 'history', count: 1 }
  ])
  t.equal(warnings().length, 2)
  for (const path of ['/terms', '/history', '/continue-watching', '/home', '/changes', '/me/export']) {
    const answer = await app.inject({ url: path, headers: viewer.headers })
    t.equal(answer.statusCode, 200, path)
    t.ok(answer.json().success, path)
  }
  // What a report makes of it fits.
  t.equal((await viewer.post('/history', { content_id: 1, time: 9 })).statusCode, 201)
})

t.test('is given up when the service closes', async t => {
  const log: string[] = []
  const app = await build(t, { log })
  await app.close()
  t.notMatch(log.join(), /validator/)
})

t.test('a user who may not change collections', async t => {
  const mongod = await startMongod({ say: () => undefined, auth: true })
  t.teardown(mongod.stop)
  const root = await MongoClient.connect(mongod.url)
  await root.db('admin').command({ createUser: 'root', pwd: 'x', roles: ['root'] })
  await root.close()
  const admin = await MongoClient.connect(mongod.url.replace('//', '//root:x@'))
  t.teardown(() => admin.close())
  await admin.db('admin').command({ createUser: 'viewer', pwd: 'x', roles: [{ role: 'readWrite', db: 'viewer' }] })
  const url = `${mongod.url.replace('//', '//viewer:x@')}/viewer?authSource=admin`
  const started = async () => {
    const log: string[] = []
    const app = await build(t, { url, log })
    t.equal((await app.inject('/terms')).statusCode, 200)
    await app.close()
    return log.map(line => JSON.parse(line)).filter(({ level }) => level >= 40)
  }

  await admin.db('viewer').createCollection('terms')
  const refused = [{ collections: ['terms'], msg: /may not set validators/ }]
  t.match(await started(), refused)
  t.match(await started(), refused)
  await ensureCollections(admin.db('viewer'))
  t.strictSame(await started(), [])

  // The privilege to count is that to find.
  const names = (await admin.db('viewer').listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name)
  const privileges = [...new Set([...names, 'revisions', 'restores', 'leases', 'counters', 'models', ''])].map(collection => ({
    resource: { db: 'viewer', collection: collection === 'dismissals' ? 'none' : collection },
    actions: collection ? ['find', 'insert', 'update', 'remove', 'listIndexes'] : ['listCollections', 'createCollection', 'createIndex']
  }))
  await admin.db('viewer').command({ createRole: 'most', privileges, roles: [] })
  await admin.db('admin').command({ updateUser: 'viewer', roles: [{ role: 'most', db: 'viewer' }] })
  const log: string[] = []
  await build(t, { url, log })
  await until(() => log.some(line => line.includes('could not check whether the documents of dismissals fit its validator')))
})
