import type { Db, Document } from 'mongodb'
import { BSON } from 'mongodb'
import t, { type Test } from 'tap'
import { connectionTo } from '../../../src/data/driver/connection.js'
import { isUnavailable } from '../../../src/data/driver/faults.js'
import { aggregateCommitted, aggregateInOneBatch, aggregateRaw, findInOneBatch } from '../../../src/data/driver/one-batch.js'
import { databaseUrl, openCursors } from '../../helpers/database.js'
import { proxyTo } from '../../helpers/proxy.js'
import { until } from '../../helpers/until.js'

const count = 70
const order = { $sort: { _id: -1 } }
const hint = { _id: 1 }

interface Thing extends Document {
  _id: number
  filler: string
}

/** Documents of 35 MB together, which takes three batches. */
const filled = async (t: Test, url: string) => {
  const { client, db } = connectionTo(url)
  t.teardown(() => client.close())
  const filler = 'x'.repeat(500_000)
  await db.collection<Thing>('things').insertMany(Array.from({ length: count }, (_, _id) => ({ _id, filler })))
  return db
}

const things = { collectionName: 'things' }
const reads: Record<string, (db: Db) => Promise<{ _id: number }[]>> = {
  aggregateInOneBatch: db => aggregateInOneBatch<Thing>(db, things, [order]),
  aggregateRaw: async db => (await aggregateRaw(db, things, [order], { hint })).map(row => BSON.deserialize(row) as Thing),
  aggregateCommitted: async db => (await aggregateCommitted<Thing>(db, things, [order])).rows,
  findInOneBatch: async db => (await findInOneBatch(db, db.collection<Thing>('things'), {})).reverse()
}

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

t.test('a read whose connection breaks between batches fails, and leaves no cursor open', async t => {
  const proxy = await proxyTo(t, await databaseUrl(t))
  const db = await filled(t, proxy.url)
  for (const [name, read] of Object.entries(reads)) {
    proxy.at('getMore', proxy.cut)
    const error = await read(db).catch((error: unknown) => error)
    t.ok(isUnavailable(error), name)
    await until(async () => (await openCursors(db)).length === 0)
  }
})

t.test('a read on which the server does not go on ends in time', async t => {
  const proxy = await proxyTo(t, await databaseUrl(t))
  const db = await filled(t, proxy.url)
  const { client, db: hurried } = connectionTo(proxy.url, { timeoutMS: 1500, connectTimeoutMS: 1500 })
  t.teardown(() => client.close())
  proxy.at('getMore', proxy.freeze)
  const began = performance.now()
  const error = await aggregateInOneBatch<Thing>(hurried, things, [order]).catch((error: unknown) => error)
  t.match(error, { statusCode: 503 })
  t.ok(performance.now() - began < 5000)
  proxy.comeBack()
  t.equal((await aggregateInOneBatch<Thing>(hurried, things, [order])).length, count, 'the next one is whole')
  await until(async () => (await openCursors(db)).length === 0)
})

t.test('a cursor that the server does not know is a failure that passes', async t => {
  const { client, db } = connectionTo(await databaseUrl(t))
  t.teardown(() => client.close())
  const error = await db.command({ getMore: BSON.Long.fromNumber(12_345), collection: 'things' }).catch((error: unknown) => error)
  t.match(error, { codeName: 'CursorNotFound' })
  t.ok(isUnavailable(error))
})
