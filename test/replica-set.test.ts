import { once } from 'node:events'
import { type Document, MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { startMongod } from '../scripts/mongod/start.js'
import { Catalogue } from '../src/catalogue/catalogue.js'
import { importFiles } from '../src/import/index.js'
import { countPopularity } from '../src/recommendations/counting.js'
import { trainModel } from '../src/recommendations/training.js'
import { content, databaseOf, seededUrl, until } from './catalogue-data.js'
import { addUser, build, password } from './helper.js'

/** A set of one member. */
const replicaSet = async (t: Test) => {
  const { url, stop } = await startMongod({ say: () => undefined, replSet: 'viewer' })
  t.teardown(stop)
  const member = new MongoClient(url, { directConnection: true })
  t.teardown(() => member.close())
  const members = [{ _id: 0, host: new URL(url).host }]
  const admin = member.db('admin')
  t.match(await admin.command({ replSetInitiate: { _id: 'viewer', members } }), { ok: 1 })
  return { url: `${url}/viewer?replicaSet=viewer`, admin }
}

t.test('whatever the address says, what viewers meet is of the primary and what they write of the majority', async t => {
  const { url } = await replicaSet(t)
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
  await app.data.users.ofProvider('https://id.example.com', 'somebody')
  await app.data.leases.while('a test', async () => undefined)
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
    t.ok(collections.has(collection), `${collection} is asked`)

  const elsewhere = reads.filter(({ $readPreference }) => $readPreference)
  t.strictSame(
    elsewhere.map(command => [command[name(command)], command.$readPreference.mode]),
    Array(elsewhere.length).fill(['history', 'secondaryPreferred']),
    'but what reads all histories'
  )
  t.ok(elsewhere.length >= 2)
  for (const command of reads) t.equal(command.readConcern, undefined, JSON.stringify(command))
  for (const command of writes) t.strictSame(command.writeConcern, { w: 'majority' }, JSON.stringify(command))
})

t.test('after a change of primary the whole catalogue is read again', async t => {
  const { url, admin } = await replicaSet(t)
  const app = await build(t, { url })
  const contents = databaseOf(app).collection<{ _id: number }>('contents')
  await contents.insertMany([content(1), content(2)])
  await app.data.revisions.raise('contents')
  const statusOf = async (id: number) => (await app.inject(`/contents/${id}`)).statusCode
  await until(async () => (await statusOf(1)) === 200)

  // As of a write that the last primary told of and the next one never got: no revision says that it is gone.
  await contents.deleteOne({ _id: 1 })
  const { config } = await admin.command({ replSetGetConfig: 1 })
  const changed = once(app.mongoClient, 'topologyDescriptionChanged')
  await admin.command({
    replSetReconfig: { ...config, version: config.version + 1, members: [{ ...config.members[0], tags: { dc: 'a' } }] }
  })
  await changed
  await app.catalogue.refresh()
  t.equal(app.catalogue.isOpen(1, undefined), true, 'a change of the set that leaves its primary is none')

  await admin.command({ replSetStepDown: 1, secondaryCatchUpPeriodSecs: 0, force: true })
  await until(() => !app.catalogue.isOpen(1, undefined), { within: 15_000 })
  t.equal(await statusOf(1), 404)
  t.equal(await statusOf(2), 200)
})

t.test('a change of primary in the middle of a comparison asks for another one', async t => {
  const app = await build(t, { url: await seededUrl(t, { contents: [content(1)] }) })
  const catalogue = new Catalogue({ data: app.data, readContents: app.data.contents.byIds, cacheBytes: 1024 })
  const comparing = catalogue.refresh()
  catalogue.distrust()
  await comparing
  t.ok(catalogue.isOpen(1, undefined))
  await databaseOf(app).collection<{ _id: number }>('contents').deleteOne({ _id: 1 })
  await catalogue.refresh()
  t.notOk(catalogue.isOpen(1, undefined))
})
