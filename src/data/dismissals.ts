import type { Collection, Db, IndexDescription, ObjectId } from 'mongodb'
import { withRetries } from './driver/retry.js'

/** A title that a user removed from Continue watching, until more of it is watched. */
interface DismissalDocument {
  _id: ObjectId
  user_id: number
  content_id: number
  at: Date
}

export const dismissalIndexes: IndexDescription[] = [{ key: { user_id: 1, content_id: 1 }, unique: true }]

export interface Dismissed {
  /** When each title was dismissed, in milliseconds. */
  dismissed: Map<number, number>
}

/** A stage that adds a row for each of the user's dismissals to an aggregation of another collection, which saves an operation. */
export const andDismissed = (user_id: number) => ({
  $unionWith: {
    coll: 'dismissals',
    pipeline: [{ $match: { user_id } }, { $project: { _id: 0, dismissed: '$content_id', at: 1 } }]
  }
})

/** From the columns of the rows that `andDismissed` adds. */
export const dismissalTimes = (content_ids: (number | undefined)[], times: (number | undefined)[]) => {
  const dismissed = new Map<number, number>()
  content_ids.forEach((content_id, i) => {
    const time = times[i]
    if (content_id !== undefined && time !== undefined) dismissed.set(content_id, time)
  })
  return dismissed
}

export const dismissalsOf = (db: Db) => {
  const dismissals: Collection<DismissalDocument> = db.collection('dismissals')
  return {
    put: (user_id: number, content_id: number) =>
      withRetries(() => dismissals.updateOne({ user_id, content_id }, [{ $set: { at: { $max: ['$at', '$$NOW'] } } }], { upsert: true })),

    /** Those that were made later stay, however late the database runs this. */
    removeUntil: (user_id: number, at: Date) => withRetries(() => dismissals.deleteMany({ user_id, at: { $not: { $gt: at } } }))
  }
}
