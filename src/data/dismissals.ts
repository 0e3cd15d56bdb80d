import type { Collection, Db, IndexDescription, ObjectId } from 'mongodb'
import { withRetries } from './driver/retry.js'

/** A show that a user removed from Continue watching, until more of it is watched. */
interface DismissalDocument {
  _id: ObjectId
  user_id: number
  content_id: number
  at: Date
}

export const dismissalIndexes: IndexDescription[] = [{ key: { user_id: 1, content_id: 1 }, unique: true }]

/** When each show was dismissed. */
export interface Dismissed {
  dismissed: Pick<DismissalDocument, 'content_id' | 'at'>[]
}

/** The moment of each dismissal, in milliseconds. */
export const dismissalTimes = ({ dismissed }: Dismissed) => {
  const times = new Map<number, number>()
  for (const { content_id, at } of dismissed) if (at instanceof Date) times.set(content_id, at.getTime())
  return times
}

/** A stage that adds the user's dismissals to an aggregation of another collection, which saves an operation. */
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
      withRetries(() => dismissals.updateOne({ user_id, content_id }, [{ $set: { at: { $max: ['$at', '$$NOW'] } } }], { upsert: true })),

    removeAll: (user_id: number) => withRetries(() => dismissals.deleteMany({ user_id }))
  }
}
