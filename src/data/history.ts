import { type Collection, type Db, type Filter, type IndexDescription, ObjectId } from 'mongodb'
import type { HistoryUpdate } from '../../schemas/history.js'
import type { PageQuery } from '../../schemas/page.js'
import { type Failure, notFound, updatedNotFound } from '../errors.js'
import { moment, timestamp } from '../time.js'
import { refusal } from './owned.js'
import { pageOf } from './pages.js'
import { persist } from './retry.js'

/** How far a user has watched a content. `updated_at` is when the player was there. */
export interface HistoryDocument {
  _id: ObjectId
  user_id: number
  content_id: number
  time: number
  percentage: number
  created_at: Date
  updated_at: Date
}

export const historyIndexes: IndexDescription[] = [
  { key: { user_id: 1, content_id: 1 }, unique: true },
  // Lists follow its order; the other fields make it cover the reading of a whole history.
  { key: { user_id: 1, updated_at: -1, _id: -1, content_id: 1, percentage: 1, time: 1, created_at: 1 } }
]

/** A history element without its content. */
export const toHistory = ({ _id, user_id, content_id, time, percentage, created_at, updated_at }: HistoryDocument) => ({
  _id: _id.toHexString(),
  user_id,
  content_id,
  time,
  percentage,
  created_at: timestamp(created_at),
  updated_at: timestamp(updated_at)
})

/** What a player reports. */
export interface Progress {
  time?: number | undefined
  percentage?: number | undefined
  /** When the player was there; now, where it does not say or its clock is ahead. */
  observed_at?: Date | undefined
}

/** A report as it stands in a body that was found valid. */
export const progressOf = ({ time, percentage, observed_at }: HistoryUpdate): Progress => ({
  time,
  percentage,
  observed_at: observed_at === undefined ? undefined : moment(observed_at)
})

export interface HistoryFilter {
  content_id?: number[] | undefined
  status?: 'in_progress' | 'completed' | undefined
}

/** The history of one user as columns, the newest first. */
export interface WholeHistory {
  ids: ObjectId[]
  content_ids: number[]
  times: number[]
  percentages: number[]
  created: Date[]
  updated: Date[]
}

export const elementAt = ({ ids, content_ids, times, percentages, created, updated }: WholeHistory, user_id: number, i: number) =>
  ({
    _id: ids[i],
    user_id,
    content_id: content_ids[i],
    time: times[i],
    percentage: percentages[i],
    created_at: created[i],
    updated_at: updated[i]
  }) as HistoryDocument

const objectId = (id: string, missing: () => Failure) => {
  if (!/^[0-9a-f]{24}$/.test(id)) throw missing()
  return new ObjectId(id)
}

export const historyOf = (db: Db, completedAt: number) => {
  const history: Collection<HistoryDocument> = db.collection('history')

  const filterOf = (user_id: number, { content_id, status }: HistoryFilter): Filter<HistoryDocument> => ({
    user_id,
    ...(content_id && { content_id: { $in: content_id } }),
    ...(status === 'completed' && { percentage: { $gte: completedAt } }),
    ...(status === 'in_progress' && { percentage: { $lt: completedAt }, $or: [{ time: { $gt: 0 } }, { percentage: { $gt: 0 } }] })
  })

  return {
    list: (user_id: number, filter: HistoryFilter, page: PageQuery) =>
      pageOf(db, history, filterOf(user_id, filter), { updated_at: -1, _id: -1 }, page),

    byId: async (user_id: number, id: string) => {
      const _id = objectId(id, notFound)
      const element = await history.findOne({ _id, user_id })
      if (!element) throw await refusal(history, { _id }, notFound)
      return element
    },

    /** Makes the one element of a user and a content, or moves it on; gives its id. */
    put: async (user_id: number, content_id: number, progress: Progress) => {
      const changes = moveOn(progress)
      const element = await persist(() =>
        history.findOneAndUpdate({ user_id, content_id }, changes, { upsert: true, returnDocument: 'after', projection: { _id: 1 } })
      )
      return (element as HistoryDocument)._id.toHexString()
    },

    update: async (user_id: number, id: string, progress: Progress) => {
      const _id = objectId(id, updatedNotFound)
      const { matchedCount } = await persist(() => history.updateOne({ _id, user_id }, moveOn(progress)))
      if (matchedCount === 0) throw await refusal(history, { _id }, updatedNotFound)
    },

    remove: async (user_id: number, id: string) => {
      const _id = objectId(id, notFound)
      const { deletedCount } = await persist(() => history.deleteOne({ _id, user_id }))
      if (deletedCount === 0) throw await refusal(history, { _id }, notFound)
    },

    removeAll: (user_id: number) => persist(() => history.deleteMany({ user_id })),

    /** All of it in one covered read, however long it is. */
    whole: async (user_id: number): Promise<WholeHistory> => {
      const [columns] = await history
        .aggregate<WholeHistory>(
          [
            { $match: { user_id } },
            { $sort: { updated_at: -1, _id: -1 } },
            {
              $group: {
                _id: null,
                ids: { $push: '$_id' },
                content_ids: { $push: '$content_id' },
                times: { $push: '$time' },
                percentages: { $push: '$percentage' },
                created: { $push: '$created_at' },
                updated: { $push: '$updated_at' }
              }
            }
          ],
          { hint: historyIndexes[1]?.key as Record<string, 1 | -1> }
        )
        .toArray()
      return columns ?? { ids: [], content_ids: [], times: [], percentages: [], created: [], updated: [] }
    }
  }
}

/**
 * The update that brings an element to where a player was: decided in the database by the observation alone,
 * so that of two reports the newer one stays, in whatever order they arrive.
 */
const moveOn = ({ time, percentage, observed_at }: Progress) => {
  const now = new Date()
  const observed = observed_at && observed_at < now ? observed_at : now
  const isNewer = { $lte: [{ $ifNull: ['$updated_at', observed] }, observed] }
  const moved = (field: string, value: number | undefined) =>
    value === undefined ? { $ifNull: [`$${field}`, 0] } : { $cond: [isNewer, value, `$${field}`] }
  return [
    {
      $set: {
        time: moved('time', time),
        percentage: moved('percentage', percentage),
        created_at: { $ifNull: ['$created_at', observed] },
        updated_at: { $cond: [isNewer, observed, '$updated_at'] }
      }
    }
  ]
}
