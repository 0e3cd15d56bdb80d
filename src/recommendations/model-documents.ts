import { Binary, type Db, ObjectId } from 'mongodb'
import type { Lease } from '../database/leases.js'
import { days } from '../time.js'

/** The metadata of a recommendation model. */
export interface ModelDocument {
  _id: ObjectId
  /** Processes ignore models in another format. */
  format: number
  /** By the database's clock. */
  trained_at: Date
  /** The size of the history collection when the model was trained. */
  elements: number
  size: number
  summary: Record<string, unknown>
}

interface ChunkDocument {
  _id: { model: ObjectId; n: number }
  bytes: Binary
}

/** A document may have up to 16 MB, but decoding that much would block the event loop. */
const chunkSize = 2 * 1024 * 1024
/** Models in another format are deleted at this age, because no process uses them any longer. */
const outdated = days(30)

/** Recommendation models, stored in chunks. Processes use the newest of their format. */
export const recommendationModelsOf = (db: Db) => {
  const models = db.collection<ModelDocument>('models')
  const chunks = db.collection<ChunkDocument>('model_chunks')

  /** An id greater than all others. A new ObjectId might not be, because it consists of the local time and random bytes. */
  const nextId = async () => {
    const [last] = await models.find({}, { sort: { _id: -1 }, limit: 1, projection: { _id: 1 } }).toArray()
    const next = last ? last._id.getTimestamp().getTime() / 1000 + 1 : 0
    return new ObjectId(ObjectId.generate(Math.max(next, Math.floor(Date.now() / 1000))))
  }

  return {
    /** `age` is in milliseconds. */
    latest: async (format: number) => {
      const age = { $subtract: ['$$NOW', '$trained_at'] }
      const newest = [{ $match: { format } }, { $sort: { _id: -1 } }, { $limit: 1 }, { $set: { age } }]
      const [model] = await models.aggregate<ModelDocument & { age: number }>(newest).toArray()
      return model ?? null
    },

    /** Undefined if chunks are missing, because a newer model has replaced this one. */
    bytes: async ({ _id, size }: ModelDocument): Promise<ArrayBuffer | undefined> => {
      const bytes = new Uint8Array(size)
      let read = 0
      const range = { _id: { $gte: { model: _id, n: 0 }, $lt: { model: _id, n: Number.MAX_SAFE_INTEGER } } }
      for await (const chunk of chunks.find(range, { sort: { _id: 1 }, batchSize: 1 })) {
        if (read + chunk.bytes.length() > size) return undefined
        bytes.set(chunk.bytes.buffer, read)
        read += chunk.bytes.length()
      }
      return read === size ? bytes.buffer : undefined
    },

    /** Writes the metadata last, so that an interrupted save stays invisible. `confirm` is that of the training's lease. */
    save: async (
      model: Omit<ModelDocument, '_id' | 'size' | 'trained_at'>,
      bytes: Uint8Array,
      confirm: Lease['confirm'] = async () => ({})
    ) => {
      const _id = await nextId()
      for (let n = 0; n * chunkSize < bytes.length; n++)
        await chunks.insertOne({ _id: { model: _id, n }, bytes: new Binary(bytes.subarray(n * chunkSize, (n + 1) * chunkSize)) })
      await models.updateOne(
        { _id },
        { $set: { ...model, size: bytes.length }, $currentDate: { trained_at: true } },
        { ...(await confirm()), upsert: true }
      )
      const before = { _id: { $lt: _id } }
      await models.deleteMany({
        ...before,
        $or: [{ format: model.format }, { $expr: { $lt: ['$trained_at', { $subtract: ['$$NOW', outdated] }] } }]
      })
      const others = await models.find(before, { projection: { _id: 1 } }).toArray()
      await chunks.deleteMany({ _id: { $lt: { model: _id, n: 0 } }, '_id.model': { $nin: others.map(({ _id }) => _id) } })
      return _id
    }
  }
}
