import type { Collection, Db } from 'mongodb'
import type { HistoryDocument } from '../../viewing/history.js'
import { coveringIndex } from '../../viewing/history-columns.js'
import { begunFilter } from '../../viewing/progress.js'

const watched = {
  user_id: 1,
  content_id: 1,
  time: 1,
  percentage: 1,
  plays: 1,
  previous_time: 1,
  previous_percentage: 1,
  updated_at: 1
} as const

type WatchedElement = Pick<HistoryDocument, keyof typeof watched>

export interface Views {
  content_id: number
  country: string | null
  views: number
}

/** Statistics over weeks do not need the last seconds, so they can be read from secondaries. */
const longRead = {
  readPreference: 'secondaryPreferred',
  hint: coveringIndex
} as const

/** The histories of all users, for training and popularity. */
export const allHistoriesOf = (db: Db) => {
  const history: Collection<HistoryDocument> = db.collection('history')
  return {
    estimatedSize: () => history.estimatedDocumentCount(),

    /** All started elements, user by user, newest first, in one covered read. */
    byUser: () =>
      history.find<WatchedElement>(begunFilter, {
        ...longRead,
        sort: { user_id: 1, updated_at: -1, _id: -1 },
        projection: { _id: 0, ...watched },
        batchSize: 10_000
      }),

    /** Views of each item in each country. A view counts half when it is `halfLife` milliseconds old. */
    views: (since: Date, halfLife: number) => {
      const age = { $divide: [{ $subtract: ['$$NOW', '$updated_at'] }, halfLife] }
      return history.aggregate<Views>(
        [
          { $match: { updated_at: { $gte: since }, ...begunFilter } },
          {
            $group: {
              _id: { content_id: '$content_id', country: { $ifNull: ['$country', null] } },
              views: { $sum: { $pow: [0.5, age] } }
            }
          },
          { $project: { _id: 0, content_id: '$_id.content_id', country: '$_id.country', views: 1 } }
        ],
        // By default, a batch has 16 MB, which would block the event loop.
        { ...longRead, batchSize: 1000 }
      )
    }
  }
}
