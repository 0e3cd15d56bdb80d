import { type Collection, CursorTimeoutMode, type Db, type Filter, type IndexDescription, ObjectId } from 'mongodb'
import type { HistoryUpdate } from '../../schemas/history.js'
import type { PageQuery } from '../../schemas/page.js'
import { type Failure, notFound, updatedNotFound } from '../errors.js'
import { isWireMoment, minutes, moment, timestamp } from '../time.js'
import { andDismissed, type Dismissed } from './dismissals.js'
import { aggregateAtOnce, findAtOnce } from './driver/at-once.js'
import { persist } from './driver/retry.js'
import { refusal } from './owned.js'
import { pageOf } from './pages.js'

/** How far a user has watched a content. `updated_at` is when the player was there. */
export interface HistoryDocument {
  _id: ObjectId
  user_id: number
  content_id: number
  time: number
  percentage: number
  created_at: Date
  updated_at: Date
  /** Where the player was, as far as it is known: what is popular differs by country. */
  country?: string
}

/** Lists follow its order; the fields after the id make it cover counts by status, whole histories and all of them. */
const inOrder = { user_id: 1, updated_at: -1, _id: -1, content_id: 1, percentage: 1, time: 1, country: 1 } as const

export const historyIndexes: IndexDescription[] = [{ key: { user_id: 1, content_id: 1 }, unique: true }, { key: inOrder }]

const isFiniteOrNothing = (value: unknown) => Number.isFinite(value ?? 0)

/** Whether it can be sent: one that another hand has put into the database may have anything. */
export const isWholeHistory = ({ _id, user_id, content_id, time, percentage, created_at, updated_at }: HistoryDocument) =>
  _id instanceof ObjectId &&
  Number.isSafeInteger(user_id) &&
  Number.isSafeInteger(content_id) &&
  isFiniteOrNothing(time) &&
  isFiniteOrNothing(percentage) &&
  isWireMoment(created_at) &&
  isWireMoment(updated_at)

/** A history element without its content. It may lack its numbers. */
export const toHistory = ({ _id, user_id, content_id, time, percentage, created_at, updated_at }: HistoryDocument) => ({
  _id: _id.toHexString(),
  user_id,
  content_id,
  time: time ?? 0,
  percentage: percentage ?? 0,
  created_at: timestamp(created_at),
  updated_at: timestamp(updated_at)
})

/** What a player reports. */
export interface Progress {
  time?: number | undefined
  percentage?: number | undefined
  /** When the player was there; now, where it does not say or its clock is ahead. */
  observed_at?: Date | undefined
  country?: string | undefined
}

/** A report as it stands in a body that was found valid. */
export const progressOf = ({ time, percentage, observed_at }: HistoryUpdate, country: string | undefined): Progress => ({
  time,
  percentage,
  country,
  observed_at: observed_at === undefined ? undefined : moment(observed_at)
})

export interface HistoryFilter {
  content_id?: number[] | undefined
  status?: 'in_progress' | 'completed' | undefined
}

/** The history of one user as columns, the newest first. Without ids and the rest, which take as long to read as these. */
export interface WholeHistory {
  content_ids: number[]
  times: number[]
  percentages: number[]
  updated: Date[]
}

const begun = { $or: [{ time: { $gt: 0 } }, { percentage: { $gt: 0 } }] }

export type WatchedElement = Pick<HistoryDocument, 'user_id' | 'content_id' | 'time' | 'percentage' | 'updated_at'>

export interface Views {
  content_id: number
  country: string | null
  views: number
}

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
    ...(status === 'in_progress' && { percentage: { $lt: completedAt }, ...begun })
  })

  return {
    list: (user_id: number, filter: HistoryFilter, page: PageQuery) =>
      pageOf(db, history, filterOf(user_id, filter), { updated_at: -1, _id: -1 }, page),

    byId: async (user_id: number, id: string) => {
      const _id = objectId(id, notFound)
      const [element] = await findAtOnce(db, history, { _id, user_id })
      if (!element) throw await refusal(history, { _id }, notFound)
      return element
    },

    /** What the user has begun of these contents. */
    begun: (user_id: number, content_ids: number[]) =>
      findAtOnce(db, history, { ...filterOf(user_id, { content_id: content_ids }), ...begun }),

    /** Makes the one element of a user and a content, or moves it on; gives its id. */
    put: async (user_id: number, content_id: number, progress: Progress) => {
      const changes = moveOn(progress)
      const element = await persist(() =>
        history.findOneAndUpdate({ user_id, content_id }, changes, { upsert: true, returnDocument: 'after', projection: { _id: 1 } })
      )
      return String((element as HistoryDocument)._id)
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
      const [columns] = await aggregateAtOnce<WholeHistory>(db, history, wholeOf(user_id), { hint: inOrder })
      return columns ?? nothing
    },

    /** All of it, and when which shows were dismissed, in one operation. */
    wholeAndDismissed: async (user_id: number) => {
      const pipeline = [...wholeOf(user_id), andDismissed(user_id)]
      const rows = await aggregateAtOnce<WholeHistory | Dismissed>(db, history, pipeline, { hint: inOrder })
      const dismissed = new Map<number, number>()
      let whole = nothing
      for (const row of rows) {
        if ('dismissed' in row) {
          for (const { content_id, at } of row.dismissed) if (at instanceof Date) dismissed.set(content_id, at.getTime())
        } else whole = row
      }
      return { whole, dismissed }
    },

    /** About how many elements there are of all users. */
    size: () => history.estimatedDocumentCount(),

    /** What all users have begun, user by user, the newest of each first, in one covered read. */
    everything: () =>
      history.find<WatchedElement>(begun, {
        ...patience,
        ...elsewhere,
        sort: { user_id: 1, updated_at: -1, _id: -1 },
        hint: inOrder,
        projection: { _id: 0, user_id: 1, content_id: 1, time: 1, percentage: 1, updated_at: 1 },
        batchSize: 10_000
      }),

    /** How often each content was begun in each country since a moment; a view counts half when it is `halfLife` milliseconds old. */
    views: (since: Date, halfLife: number) => {
      const age = { $divide: [{ $subtract: ['$$NOW', '$updated_at'] }, halfLife] }
      return history
        .aggregate<Views>(
          [
            { $match: { updated_at: { $gte: since }, ...begun } },
            {
              $group: {
                _id: { content_id: '$content_id', country: { $ifNull: ['$country', null] } },
                views: { $sum: { $pow: [0.5, age] } }
              }
            },
            { $project: { _id: 0, content_id: '$_id.content_id', country: '$_id.country', views: 1 } }
          ],
          { ...patience, ...elsewhere, hint: inOrder }
        )
        .toArray()
    }
  }
}

/** Reads of all histories: of what is counted over weeks, nobody misses the last second. */
const elsewhere = { readPreference: 'secondaryPreferred' } as const
const patience = { timeoutMS: minutes(10), timeoutMode: CursorTimeoutMode.ITERATION }

const nothing: WholeHistory = { content_ids: [], times: [], percentages: [], updated: [] }

const wholeOf = (user_id: number) => [
  { $match: { user_id } },
  { $sort: { updated_at: -1, _id: -1 } },
  {
    $group: {
      _id: null,
      content_ids: { $push: '$content_id' },
      times: { $push: '$time' },
      percentages: { $push: '$percentage' },
      updated: { $push: '$updated_at' }
    }
  }
]

/**
 * The update that brings an element to where a player was: decided in the database by the observation alone,
 * so that of two reports the newer one stays, in whatever order they arrive. It is also the clock of the database that
 * counts: by those of two processes, a report could be older than the one before it. A report without an observation is
 * observed as it arrives, so nothing is newer: not what came in while it waited for its turn at the element, whose `$$NOW`
 * is the later one then, nor what a clock has written that ran ahead.
 */
const moveOn = ({ time, percentage, observed_at, country }: Progress) => {
  const observed = observed_at ? { $min: [observed_at, '$$NOW'] } : { $max: ['$updated_at', '$$NOW'] }
  const isNewer = { $lte: [{ $ifNull: ['$updated_at', observed] }, observed] }
  const moved = (field: string, value: number | undefined) =>
    value === undefined ? { $ifNull: [`$${field}`, 0] } : { $cond: [isNewer, value, `$${field}`] }
  return [
    {
      $set: {
        time: moved('time', time),
        percentage: moved('percentage', percentage),
        created_at: { $ifNull: ['$created_at', observed] },
        updated_at: { $cond: [isNewer, observed, '$updated_at'] },
        ...(country && { country: { $cond: [isNewer, country, '$country'] } })
      }
    }
  ]
}
