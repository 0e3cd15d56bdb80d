import type { AnyBulkWriteOperation, Db } from 'mongodb'
import type { LateReports, Teller } from '../sync/index.js'
import type { HistoryDocument } from './history.js'
import { begunFilter, hasBegun, isCompleted, type Report, type Reported, unwatchedUpdate } from './progress.js'

/** Marks items as watched or unwatched. Any of them may still be stored under an earlier id. */
export const marksOf = (db: Db, { late, tell, completedAt }: { late: LateReports; tell: Teller; completedAt: number }) => {
  const history = db.collection<HistoryDocument>('history')
  return {
    /** Completes the items that are not completed. Returns how many. */
    watched: async (user_id: number, ends: Report[]) => {
      const newest = await late.newestOf(user_id, ends)
      const left = ends.filter(({ content_id }) => !isCompleted(newest.get(content_id)?.percentage, completedAt))
      return left.length === 0 ? 0 : late.putMarks(user_id, left)
    },

    /** Resets items to never watched. Returns how many had been started. */
    unwatched: async (user_id: number, contents: Reported[]) => {
      const stored = await late.storedOf(user_id, contents)
      if (stored.length === 0) return 0
      // Counts one element per item, unless it was reset meanwhile.
      const begun = new Map(stored.filter(([, element]) => hasBegun(element)).map(([content_id, { _id }]) => [content_id, _id]))
      const counted = new Set(begun.values())
      // One update per element, because the driver does not retry updates of many documents.
      const operations = stored.map(([, { _id }]): AnyBulkWriteOperation<HistoryDocument> => {
        const filter = { _id, user_id, ...(counted.has(_id) && begunFilter) }
        return { updateOne: { filter, update: unwatchedUpdate } }
      })
      const { matchedCount } = await tell(user_id, () => history.bulkWrite(operations, { ordered: false }))
      return Math.max(0, matchedCount - (stored.length - counted.size))
    }
  }
}
