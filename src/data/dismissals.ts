import type { Collection, Db, IndexDescription, ObjectId } from 'mongodb'
import { persist } from './driver/retry.js'

/** A show whose card a user does not want to continue with, until something of it is watched again. */
interface DismissalDocument {
  _id: ObjectId
  user_id: number
  content_id: number
  at: Date
}

export const dismissalIndexes: IndexDescription[] = [{ key: { user_id: 1, content_id: 1 }, unique: true }]

/** When which shows were dismissed. */
export interface Dismissed {
  dismissed: Pick<DismissalDocument, 'content_id' | 'at'>[]
}

/** Joins the dismissals of a user to what an aggregation of another collection gives, so that both come in one operation. */
export const andDismissed = (user_id: number) => ({
  $unionWith: {
    coll: 'dismissals',
    pipeline: [{ $match: { user_id } }, { $group: { _id: null, dismissed: { $push: { content_id: '$content_id', at: '$at' } } } }]
  }
})

export const dismissalsOf = (db: Db) => {
  const dismissals: Collection<DismissalDocument> = db.collection('dismissals')
  return {
    put: (user_id: number, content_id: number) =>
      persist(() => dismissals.updateOne({ user_id, content_id }, [{ $set: { at: { $max: ['$at', '$$NOW'] } } }], { upsert: true }))
  }
}
