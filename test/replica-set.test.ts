import { once } from 'node:events'
import { MongoClient } from 'mongodb'
import t from 'tap'
import { startMongod } from '../scripts/mongod/start.js'
import { Catalogue } from '../src/catalogue/catalogue.js'
import { content, databaseOf, seededUrl, until } from './catalogue-data.js'
import { build } from './helper.js'

t.test('after a change of primary the whole catalogue is read again', async t => {
  const { url, stop } = await startMongod({ say: () => undefined, replSet: 'viewer' })
  t.teardown(stop)
  const member = new MongoClient(url, { directConnection: true })
  t.teardown(() => member.close())
  const members = [{ _id: 0, host: new URL(url).host }]
  const admin = member.db('admin')
  t.match(await admin.command({ replSetInitiate: { _id: 'viewer', members } }), { ok: 1 })

  const app = await build(t, { url: `${url}/viewer?replicaSet=viewer` })
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
