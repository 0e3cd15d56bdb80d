import type { Collection, Db, IndexDescription, ObjectId } from 'mongodb'
import { persist } from './retry.js'

/** A show whose card a user does not want to continue with, until something of it is watched again. */
interface DismissalDocument {
  _id: ObjectId
  user_id: number
  content_id: number
  at: Date
}

export const dismissalIndexes: IndexDescription[] = [{ key: { user_id: 1, content_id: 1 }, unique: true }]

export const dismissalsOf = (db: Db) => {
  const dismissals: Collection<DismissalDocument> = db.collection('dismissals')
  return {
    put: (user_id: number, content_id: number) =>
      persist(() => dismissals.updateOne({ user_id, content_id }, { $max: { at: new Date() } }, { upsert: true })),

    /** When which shows were dismissed. */
    of: async (user_id: number) => {
      const shows = await dismissals.find({ user_id }, { projection: { _id: 0, content_id: 1, at: 1 }, batchSize: 10_000 }).toArray()
      return new Map(shows.map(({ content_id, at }) => [content_id, at.getTime()]))
    }
  }
}
