import { type Collection, type Db, type Document, type Filter, type IndexDescription, ObjectId } from 'mongodb'
import type { HistoryProgress } from '../../schemas/history.js'
import type { PageQuery } from '../../schemas/page.js'
import { type ErrorAnswer, notFound } from '../errors.js'
import { isWireMoment, timestamp } from '../time.js'
import { andDismissed, type Dismissed } from './dismissals.js'
import { columnsOf } from './driver/columns.js'
import { aggregateIntoOne, aggregateRaw, findInOneBatch } from './driver/one-batch.js'
import { andEachHidden, andHidden, type Hidden } from './hidden.js'
import { forbiddenOr } from './owned.js'
import { type IsShown, pageOf } from './pages.js'
import { arrivalIndex, removerOf } from './removals.js'
import { andSaved, type Saved } from './watchlist.js'

/** How far a user has watched a content. `updated_at` is when the player was at `time`. */
export interface HistoryDocument {
  _id: ObjectId
  user_id: number
  content_id: number
  time: number
  percentage: number
  created_at: Date
  updated_at: Date
  /** How often the content was completed, and when last. Missing in elements without a completion and in those of earlier versions. */
  plays?: number
  watched_at?: Date
  /** True if the content was at its beginning since its last completion, so that the next one counts. */
  is_again?: boolean
  /** When the newest report arrived, if that was later than its observation: `updated_at` does not tell then what is new. */
  arrived_at?: Date
  /** Where the player was, if known. Popularity is counted by country. */
  country?: string
}

/** The fields after `_id` let the index cover counts by status and reads of whole histories. */
export const listIndex = { user_id: 1, updated_at: -1, _id: -1, content_id: 1, percentage: 1, time: 1, country: 1, plays: 1 } as const

export const historyIndexes: IndexDescription[] = [{ key: { user_id: 1, content_id: 1 }, unique: true }, { key: listIndex }, arrivalIndex]

const isFiniteOrNothing = (value: unknown) => Number.isFinite(value ?? 0)
const isWireMomentOrNothing = (value: unknown) => isWireMoment(value ?? new Date(0))

/** Other software may have written elements without these fields. */
export const isServableHistory = ({
  _id,
  user_id,
  content_id,
  time,
  percentage,
  plays,
  watched_at,
  created_at,
  updated_at
}: HistoryDocument) =>
  _id instanceof ObjectId &&
  Number.isSafeInteger(user_id) &&
  Number.isSafeInteger(content_id) &&
  isFiniteOrNothing(time) &&
  isFiniteOrNothing(percentage) &&
  Number.isSafeInteger(plays ?? 0) &&
  isWireMomentOrNothing(watched_at) &&
  isWireMoment(created_at) &&
  isWireMoment(updated_at)

/** A history element without its content. */
export const toHistory = ({
  _id,
  user_id,
  content_id,
  time,
  percentage,
  plays,
  watched_at,
  created_at,
  updated_at
}: HistoryDocument): HistoryProgress => ({
  _id: _id.toHexString(),
  user_id,
  content_id,
  time: time ?? 0,
  percentage: percentage ?? 0,
  plays: plays ?? 0,
  watched_at: watched_at ? timestamp(watched_at) : null,
  created_at: timestamp(created_at),
  updated_at: timestamp(updated_at)
})

export interface HistoryFilter {
  content_id?: number[] | undefined
  status?: 'in_progress' | 'completed' | 'watched' | undefined
}

/** A user's history as columns, newest first. Reading the other fields too would take twice as long. */
export interface WatchedColumns {
  content_ids: number[]
  times: number[]
  percentages: number[]
  plays: number[]
}

/** What is at its end was completed once at least. */
export interface HistoryColumns extends WatchedColumns {
  updated: Date[]
}

export const startedFilter = { $or: [{ time: { $gt: 0 } }, { percentage: { $gt: 0 } }] }

/** The same for an element of columns. Elements that other software wrote may lack both fields. */
export const isStarted = ({ times, percentages }: WatchedColumns, i: number) => Boolean(times[i]) || Boolean(percentages[i])

export const historyId = (id: string, missing: () => ErrorAnswer) => {
  if (!/^[0-9a-f]{24}$/.test(id)) throw missing()
  return new ObjectId(id)
}

const filterOf = (user_id: number, { content_id, status }: HistoryFilter, completedAt: number): Filter<HistoryDocument> => ({
  user_id,
  ...(content_id && { content_id: { $in: content_id } }),
  ...(status === 'completed' && { percentage: { $gte: completedAt } }),
  ...(status === 'in_progress' && { percentage: { $lt: completedAt }, ...startedFilter }),
  ...(status === 'watched' && { $or: [{ plays: { $gte: 1 } }, { plays: { $exists: false }, percentage: { $gte: completedAt } }] })
})

/** With the completion that an earlier version has not counted. */
export const counted = (element: HistoryDocument, completedAt: number): HistoryDocument =>
  element.plays === undefined && element.percentage >= completedAt ? { ...element, plays: 1, watched_at: element.updated_at } : element

export const historyOf = (db: Db, completedAt: number) => {
  const history: Collection<HistoryDocument> = db.collection('history')
  const remover = removerOf(db, 'history')
  /** Reads elements from the index alone and in one batch, however many they are. Each stage adds more fields. */
  const columnsWith = <More extends object>(elements: Document[], none: More, stages: Document[]): Promise<HistoryColumns & More> =>
    aggregateIntoOne(db, history, [...elements, columns(completedAt), ...stages], { ...nothing, ...none }, { hint: listIndex })

  return {
    list: async (user_id: number, filter: HistoryFilter, page: PageQuery, isShown?: IsShown) => {
      const selected = { filter: filterOf(user_id, filter, completedAt), order: { updated_at: -1, _id: -1 }, isShown } as const
      const { elements, total } = await pageOf(db, history, selected, page)
      return { elements: elements.map(element => counted(element, completedAt)), total }
    },

    byId: async (user_id: number, id: string) => {
      const _id = historyId(id, notFound)
      const [element] = await findInOneBatch(db, history, { _id, user_id })
      if (!element) throw await forbiddenOr(notFound, history, { _id })
      return counted(element, completedAt)
    },

    /** The elements of these contents that the user has started to watch. */
    started: async (user_id: number, content_ids: number[]) => {
      const elements = await findInOneBatch(db, history, { user_id, content_id: { $in: content_ids }, ...startedFilter })
      return elements.map(element => counted(element, completedAt))
    },

    remove: async (user_id: number, id: string) => {
      const _id = historyId(id, notFound)
      await remover.one(user_id, _id, notFound)
    },

    removeAll: remover.all,

    /**
     * The whole history, and what the user has hidden, in one operation. Grouped to columns by mongod, as below, the rows would cost it
     * twice as much. The rows of hidden titles have nothing in the other columns.
     */
    wholeAndHidden: async (user_id: number): Promise<WatchedColumns & Hidden> => {
      const rows = await aggregateRaw(db, history, [...newestFirst(user_id), watched, andEachHidden(user_id)], { hint: listIndex })
      const columns = columnsOf(rows, ['content_id', 'time', 'percentage', 'plays', 'hidden'])
      const [content_ids, times, percentages, plays, hidden] = columns as [number[], number[], number[], number[], number[]]
      return { content_ids, times, percentages, plays, hidden: hidden.filter(id => id !== undefined) }
    },

    /** What continue watching looks at of the history, what the user has hidden, and when each show was dismissed. */
    latestHiddenAndDismissed: (user_id: number) => {
      const stages = [andHidden(user_id), andDismissed(user_id)]
      return columnsWith<Hidden & Dismissed>([...newestFirst(user_id), { $limit: latest }], { hidden: [], dismissed: [] }, stages)
    },

    /** All that a start page needs of a user, but for the elements of its cards: also the newest elements of the watchlist. */
    wholeAndLists: (user_id: number, saved: number) => {
      const stages = [andHidden(user_id), andDismissed(user_id), andSaved(user_id, saved)]
      return columnsWith<Hidden & Dismissed & Saved>(newestFirst(user_id), { hidden: [], dismissed: [], saved: [] }, stages)
    }
  }
}

const nothing: HistoryColumns = { content_ids: [], times: [], percentages: [], plays: [], updated: [] }

/** More elements do not make continue watching better, but slower. */
const latest = 2000

/** What continue watching looks at of a whole history. */
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
