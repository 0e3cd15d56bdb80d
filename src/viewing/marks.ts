import type { AnyBulkWriteOperation, Db } from 'mongodb'
import type { LateReports, Teller } from '../sync/index.js'
import type { HistoryDocument } from './history.js'
import { begunFilter, hasBegun, isCompleted, type Report, type Reported, unwatchedUpdate } from './progress.js'

/** Marks contents as watched or unwatched. Any of them may still be stored under an earlier id. */
export const marksOf = (db: Db, { late, tell, completedAt }: { late: LateReports; tell: Teller; completedAt: number }) => {
  const history = db.collection<HistoryDocument>('history')
  return {
    /** Completes the contents that are not completed. Returns how many. */
    watched: async (user_id: number, ends: Report[]) => {
      const newest = await late.newestOf(user_id, ends)
      const left = ends.filter(({ content_id }) => !isCompleted(newest.get(content_id)?.percentage, completedAt))
      return left.length === 0 ? 0 : late.putMarks(user_id, left)
    },

    /** Takes contents back to before they were ever watched. Returns how many had been begun. */
    unwatched: async (user_id: number, contents: Reported[]) => {
      const stored = await late.storedOf(user_id, contents)
      if (stored.length === 0) return 0
      // Of the elements of one content, one counts, unless it was taken back meanwhile.
      const begun = new Map(stored.filter(([, element]) => hasBegun(element)).map(([content_id, { _id }]) => [content_id, _id]))
      const counted = new Set(begun.values())
      // An update for each element, because the driver repeats no update of many.
      const operations = stored.map(([, { _id }]): AnyBulkWriteOperation<HistoryDocument> => {
        const filter = { _id, user_id, ...(counted.has(_id) && begunFilter) }
        return { updateOne: { filter, update: unwatchedUpdate } }
      })
      const { matchedCount } = await tell(user_id, () => history.bulkWrite(operations, { ordered: false }))
      return Math.max(0, matchedCount - (stored.length - counted.size))
    }
  }
}
