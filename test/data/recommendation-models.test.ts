import { Binary, ObjectId } from 'mongodb'
import t, { type Test } from 'tap'
import { connectionTo } from '../../src/data/driver/connection.js'
import { type ModelDocument, recommendationModelsOf } from '../../src/data/recommendation-models.js'
import { databaseUrl } from '../helpers/database.js'

interface Chunk {
  _id: { model: ObjectId; n: number }
  bytes: Binary
}

const store = async (t: Test) => {
  const { client, db } = connectionTo(await databaseUrl(t))
  t.teardown(() => client.close())
  const chunks = db.collection<Chunk>('model_chunks')
  return {
    models: recommendationModelsOf(db),
    documents: db.collection<ModelDocument>('models'),
    chunks,
    owners: async () => [...new Set((await chunks.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => String(_id.model)))]
  }
}

const about = (given: Partial<Omit<ModelDocument, 'trained_at'>> = {}) => ({ format: 1, elements: 5, summary: {}, ...given })
/** Bytes that differ by their position. */
const bytesOf = (size: number) => new Uint8Array(size).map((_, i) => (i * 31) ^ (i >> 8))
const large = 5 * 1024 * 1024 + 3

t.test('a model is kept in chunks and comes out as it went in', async t => {
  const { models, chunks, documents } = await store(t)
  t.equal(await models.latest(1), null)
  for (const size of [0, 1, 2 * 1024 * 1024, large]) {
    const bytes = bytesOf(size)
    const _id = await models.save(about(), bytes)
    const latest = await models.latest(1)
    t.strictSame(latest?._id, _id)
    t.equal(latest?.size, size)
    t.ok(Buffer.from((await models.bytes(latest as ModelDocument)) as ArrayBuffer).equals(bytes), `${size} bytes`)
    t.equal(await documents.countDocuments(), 1)
    t.equal(await chunks.countDocuments(), Math.ceil(size / (2 * 1024 * 1024)))
  }
})

t.test('saving a model removes the one before, and what a crash has left', async t => {
  const { models, documents, chunks, owners } = await store(t)
  await models.save(about(), bytesOf(large))
  // Chunks of a training that was killed before it stored the document of its model.
  const orphan = new ObjectId()
  for (const n of [0, 1, 2]) await chunks.insertOne({ _id: { model: orphan, n }, bytes: new Binary(bytesOf(10)) })
  t.not(String((await models.latest(1))?._id), String(orphan), 'an unfinished model is never used')
  const _id = await models.save(about(), bytesOf(large))
  t.strictSame(await owners(), [String(_id)])
  t.strictSame(
    (await documents.find().toArray()).map(({ _id }) => String(_id)),
    [String(_id)]
  )
})

t.test('the one that was saved last is the latest, whatever the clocks of the trainers say', async t => {
  const { models, documents, chunks, owners } = await store(t)
  await models.save(about(), bytesOf(3))
  // As a process whose clock is an hour ahead would save it. Within a second, it would be chance which id is greater.
  const ahead = ObjectId.createFromTime(Math.floor(Date.now() / 1000) + 3600)
  await documents.insertOne({ _id: ahead, ...about(), trained_at: new Date(), size: 1 })
  await chunks.insertOne({ _id: { model: ahead, n: 0 }, bytes: new Binary(bytesOf(1)) })
  const _id = await models.save(about({ elements: 9 }), bytesOf(3))
  t.strictSame((await models.latest(1))?._id, _id)
  t.strictSame(await owners(), [String(_id)])
  t.equal(await documents.countDocuments(), 1)
  const next = await models.save(about({ elements: 10 }), bytesOf(3))
  t.strictSame((await models.latest(1))?._id, next)
})

t.test('processes of two versions with different formats leave each other’s models alone', async t => {
  const { models, documents, owners } = await store(t)
  const one = await models.save(about({ format: 1 }), bytesOf(10))
  const two = await models.save(about({ format: 2 }), bytesOf(20))
  t.strictSame((await models.latest(1))?._id, one)
  t.strictSame((await models.latest(2))?._id, two)
  t.equal((await models.bytes((await models.latest(1)) as ModelDocument))?.byteLength, 10, 'the model has its bytes')
  const newer = await models.save(about({ format: 1 }), bytesOf(11))
  t.strictSame((await owners()).sort(), [String(two), String(newer)].sort())
  t.equal((await models.bytes((await models.latest(2)) as ModelDocument))?.byteLength, 20)

  await documents.updateOne({ _id: two }, { $set: { trained_at: new Date(Date.now() - 31 * 86_400_000) } })
  const last = await models.save(about({ format: 1 }), bytesOf(11))
  t.strictSame(await owners(), [String(last)], 'until no process has stored one of the other format for a month')
  t.equal(await models.latest(2), null)
})

t.test('a model with missing chunks has no bytes', async t => {
  const { models, chunks } = await store(t)
  const _id = await models.save(about(), bytesOf(large))
  const latest = (await models.latest(1)) as ModelDocument
  const chunkOf = (n: number) => ({ _id: { model: _id, n } })
  await chunks.updateOne(chunkOf(2), { $set: { bytes: new Binary(bytesOf(1024 * 1024 + 2)) } })
  t.equal(await models.bytes(latest), undefined, 'one byte too few')
  await chunks.updateOne(chunkOf(2), { $set: { bytes: new Binary(bytesOf(1024 * 1024 + 4)) } })
  t.equal(await models.bytes(latest), undefined, 'one byte too many')
  await chunks.insertOne({ ...chunkOf(3), bytes: new Binary(bytesOf(1024)) })
  t.equal(await models.bytes(latest), undefined, 'one chunk too many')
  await chunks.deleteOne(chunkOf(3))
  await chunks.deleteOne(chunkOf(1))
  t.equal(await models.bytes(latest), undefined, 'one chunk too few')
  await chunks.deleteMany()
  t.equal(await models.bytes(latest), undefined, 'no chunk at all')
})
