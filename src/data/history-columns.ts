import type { Db, Document } from 'mongodb'
import { andDismissed, type Dismissed } from './dismissals.js'
import { columnsOf } from './driver/columns.js'
import { aggregateIntoOne, aggregateRaw } from './driver/one-batch.js'
import { andEachHidden, andHidden, type Hidden } from './hidden.js'
import { andSaved, type Saved } from './watchlist.js'

/** The fields after `_id` let the index cover counts by status and reads of whole histories. */
export const listIndex = { user_id: 1, updated_at: -1, _id: -1, content_id: 1, percentage: 1, time: 1, country: 1, plays: 1 } as const

/** A user's history as columns, newest first. Reading the other fields too would take twice as long. */
export interface WatchedColumns {
  content_ids: number[]
  times: number[]
  percentages: number[]
  plays: number[]
}

/** Here, `plays` of a completed element is at least 1. */
export interface HistoryColumns extends WatchedColumns {
  updated: Date[]
}

export const startedFilter = { $or: [{ time: { $gt: 0 } }, { percentage: { $gt: 0 } }] }

/** The same for an element of columns. Elements that other software wrote may lack both fields. */
export const isStarted = ({ times, percentages }: WatchedColumns, i: number) => Boolean(times[i]) || Boolean(percentages[i])

const nothing: HistoryColumns = { content_ids: [], times: [], percentages: [], plays: [], updated: [] }

/** More elements do not make continue watching better, but slower. */
const latest = 2000

/** The part of a whole history that continue watching looks at. */
export const latestOf = (history: HistoryColumns): HistoryColumns => ({
  content_ids: history.content_ids.slice(0, latest),
  times: history.times.slice(0, latest),
  percentages: history.percentages.slice(0, latest),
  plays: history.plays.slice(0, latest),
  updated: history.updated.slice(0, latest)
})

const newestFirst = (user_id: number) => [{ $match: { user_id } }, { $sort: { updated_at: -1, _id: -1 } }]

const watched = { $project: { _id: 0, content_id: 1, time: 1, percentage: 1, plays: 1 } }

const columns = (completedAt: number) => ({
  $group: {
    _id: null,
    content_ids: { $push: '$content_id' },
    times: { $push: '$time' },
    percentages: { $push: '$percentage' },
    plays: { $push: { $max: ['$plays', { $cond: [{ $gte: ['$percentage', completedAt] }, 1, 0] }] } },
    updated: { $push: '$updated_at' }
  }
})

/** Reads of whole histories. They read the index alone and in one batch, however many elements there are. */
export const historyColumnsOf = (db: Db, completedAt: number) => {
  const history = { collectionName: 'history' }
  /** Each stage adds more fields. */
  const columnsWith = <More extends object>(elements: Document[], none: More, stages: Document[]): Promise<HistoryColumns & More> =>
    aggregateIntoOne(db, history, [...elements, columns(completedAt), ...stages], { ...nothing, ...none }, { hint: listIndex })

  return {
    /**
     * The whole history, and what the user has hidden, in one operation. If mongod grouped the rows into columns, as below, it would take
     * twice as long. The rows of hidden titles have nothing in the other columns.
     */
    wholeAndHidden: async (user_id: number): Promise<WatchedColumns & Hidden> => {
      const rows = await aggregateRaw(db, history, [...newestFirst(user_id), watched, andEachHidden(user_id)], { hint: listIndex })
      const columns = columnsOf(rows, ['content_id', 'time', 'percentage', 'plays', 'hidden'])
      const [content_ids, times, percentages, plays, hidden] = columns as [number[], number[], number[], number[], number[]]
      return { content_ids, times, percentages, plays, hidden: hidden.filter(id => id !== undefined) }
    },

    /** The part of the history that continue watching looks at, what the user has hidden, and when each show was dismissed. */
    latestHiddenAndDismissed: (user_id: number) => {
      const stages = [andHidden(user_id), andDismissed(user_id)]
      return columnsWith<Hidden & Dismissed>([...newestFirst(user_id), { $limit: latest }], { hidden: [], dismissed: [] }, stages)
    },

    /** All that a start page needs to know about a user, except for the elements of its cards. */
    wholeAndLists: (user_id: number, saved: number) => {
      const stages = [andHidden(user_id), andDismissed(user_id), andSaved(user_id, saved)]
      return columnsWith<Hidden & Dismissed & Saved>(newestFirst(user_id), { hidden: [], dismissed: [], saved: [] }, stages)
    }
  }
}
