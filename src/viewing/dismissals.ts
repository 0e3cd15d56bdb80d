import type { Collection, Db, IndexDescription, ObjectId } from 'mongodb'
import { date, id, objectId, validatorOf } from '../database/bson-schema.js'
import { withRetries } from '../database/retry.js'
import { type Move, replacedIndex } from './lists.js'

/** A title that a user removed from Continue watching, until more of it is watched. */
interface DismissalDocument {
  _id: ObjectId
  user_id: number
  content_id: number
  at: Date
}

export const dismissalValidator = validatorOf<DismissalDocument>({ _id: objectId, user_id: id, content_id: id, at: date })

export const dismissalIndexes: IndexDescription[] = [{ key: { user_id: 1, content_id: 1 }, unique: true }, replacedIndex('at')]

/** How dismissals are moved when their item is replaced. */
export const dismissalMove: Move = { dated: 'at', observed: 'at' }

export const dismissalsOf = (db: Db) => {
  const dismissals: Collection<DismissalDocument> = db.collection('dismissals')
  return {
    put: (user_id: number, content_id: number) =>
      withRetries(() => dismissals.updateOne({ user_id, content_id }, [{ $set: { at: { $max: ['$at', '$$NOW'] } } }], { upsert: true })),

    /** Keeps later dismissals, however late the database runs this. */
    removeUntil: (user_id: number, at: Date) => withRetries(() => dismissals.deleteMany({ user_id, at: { $not: { $gt: at } } }))
  }
}
