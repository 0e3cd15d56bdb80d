import { Binary, type Db, ObjectId } from 'mongodb'
import { days, minutes } from '../time.js'

/** What is known of a recommendation model besides its bytes. */
export interface ModelDocument {
  _id: ObjectId
  /** Of the bytes: a process that knows another one leaves the model alone. */
  format: number
  /** By the clock of the database. */
  trained_at: Date
  /** Elements of history in the collection when it was trained. */
  elements: number
  size: number
  /** What the training tells of itself. */
  summary: Record<string, unknown>
}

interface ChunkDocument {
  _id: { model: ObjectId; n: number }
  bytes: Binary
}

/** A document may have 16 MB, and what is decoded holds the event loop. */
const chunkSize = 2 * 1024 * 1024
const patience = { timeoutMS: minutes(2) }
/** A format of which there was no new model for so long is none that any process knows. */
const outdated = days(30)

/** Models of the recommendations, cut into chunks. The newest one counts. */
export const modelsOf = (db: Db) => {
  const models = db.collection<ModelDocument>('models')
  const chunks = db.collection<ChunkDocument>('model_chunks')

  /** Greater than all before: an id begins with the second of the trainer's own clock, and goes on with chance. */
  const nextId = async () => {
    const [last] = await models.find({}, { sort: { _id: -1 }, limit: 1, projection: { _id: 1 } }).toArray()
    const next = last ? last._id.getTimestamp().getTime() / 1000 + 1 : 0
    return new ObjectId(ObjectId.generate(Math.max(next, Math.floor(Date.now() / 1000))))
  }

  return {
    /** With the milliseconds since it was trained. */
    latest: async (format: number) => {
      const age = { $subtract: ['$$NOW', '$trained_at'] }
      const newest = [{ $match: { format } }, { $sort: { _id: -1 } }, { $limit: 1 }, { $set: { age } }]
      const [model] = await models.aggregate<ModelDocument & { age: number }>(newest).toArray()
      return model ?? null
    },

    /** Undefined where they are not all there: a newer one may have taken its place meanwhile. */
    bytes: async ({ _id, size }: ModelDocument): Promise<ArrayBuffer | undefined> => {
      const bytes = new Uint8Array(size)
      let read = 0
      const range = { _id: { $gte: { model: _id, n: 0 }, $lt: { model: _id, n: Number.MAX_SAFE_INTEGER } } }
      for await (const chunk of chunks.find(range, { ...patience, sort: { _id: 1 }, batchSize: 1 })) {
        if (read + chunk.bytes.length() > size) return undefined
        bytes.set(chunk.bytes.buffer, read)
        read += chunk.bytes.length()
      }
      return read === size ? bytes.buffer : undefined
    },

    /** The chunks first and the model last: one that was cut off is never seen. Then what stood before goes. */
    save: async (model: Omit<ModelDocument, '_id' | 'size' | 'trained_at'>, bytes: Uint8Array) => {
      const _id = await nextId()
      for (let n = 0; n * chunkSize < bytes.length; n++)
        await chunks.insertOne({ _id: { model: _id, n }, bytes: new Binary(bytes.subarray(n * chunkSize, (n + 1) * chunkSize)) }, patience)
      await models.updateOne(
        { _id },
        { $set: { ...model, size: bytes.length }, $currentDate: { trained_at: true } },
        { ...patience, upsert: true }
      )
      const before = { _id: { $lt: _id } }
      await models.deleteMany(
        { ...before, $or: [{ format: model.format }, { $expr: { $lt: ['$trained_at', { $subtract: ['$$NOW', outdated] }] } }] },
        patience
      )
      const others = await models.find(before, { projection: { _id: 1 } }).toArray()
      await chunks.deleteMany({ _id: { $lt: { model: _id, n: 0 } }, '_id.model': { $nin: others.map(({ _id }) => _id) } }, patience)
      return _id
    }
  }
}
