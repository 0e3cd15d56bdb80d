import { type Db, type Filter, type IndexDescription, ObjectId } from 'mongodb'
import type { ExportedHistory } from '../../schemas/export.js'
import type { HistoryProgress, HistoryStatus } from '../../schemas/history.js'
import type { PageQuery } from '../../schemas/page.js'
import type { IsShown } from '../catalogue/audience.js'
import { amount, count, date, flag, id, objectId, optional, text, validatorOf } from '../database/bson-schema.js'
import { type Eventful, eventRule } from '../database/events.js'
import { findAll } from '../database/read-all.js'
import { type ErrorAnswer, forbiddenOr, resourceNotFound } from '../errors.js'
import type { Remover } from '../sync/index.js'
import { timestamp } from '../time.js'
import { coveringIndex, historyColumnsOf } from './history-columns.js'
import { arrivalIndex, exportIndex, type ListDescription, type ListElement, oneForEachContent, pageOf, replacedIndex } from './lists.js'
import { momentsOf, type Played, playedIndexes, playedRules, playedSince } from './played.js'
import { previousFields, resumableFilter, statusFilter } from './progress.js'

/** How far a user has watched an item. `updated_at` is when the player was at `time`. */
export interface HistoryDocument extends Omit<ListElement, 'asked_at'>, Played, Eventful {
  _id: ObjectId
  time: number
  percentage: number
  updated_at: Date
  /** How often the item was completed, and when last. Missing or 0 if it never was. */
  plays?: number
  watched_at?: Date
  /** The position before a brief start, if it would be lost otherwise. */
  previous_time?: number
  previous_percentage?: number
  previous_observed_at?: Date
  /** True if the item was played from its beginning since its last completion, so that the next completion counts. */
  is_again?: boolean
  /**
   * When a report with `observed_at` or an import arrived. GET /changes finds the element by this date, because its `updated_at` may be
   * older than the last call of the app.
   */
  arrived_at?: Date
  /**
   * The `observed_at` of the last report that counted as made now because it was in the future. Identifies that report if it is sent again.
   */
  claimed_at?: Date
  /** The viewer's country, if known. Popularity is counted by country. */
  country?: string
}

export const historyValidator = validatorOf<HistoryDocument>({
  _id: objectId,
  user_id: id,
  content_id: id,
  time: amount,
  percentage: amount,
  created_at: date,
  updated_at: date,
  plays: optional(count),
  watched_at: optional(date),
  ...playedRules,
  previous_time: optional(amount),
  previous_percentage: optional(amount),
  previous_observed_at: optional(date),
  is_again: optional(flag),
  arrived_at: optional(date),
  claimed_at: optional(date),
  ...eventRule,
  country: optional(text)
})

export const historyIndexes: IndexDescription[] = [
  oneForEachContent,
  { key: coveringIndex },
  ...playedIndexes,
  arrivalIndex,
  replacedIndex('created_at'),
  exportIndex('updated_at')
]

type Previous = Pick<HistoryDocument, 'previous_time' | 'previous_percentage' | 'previous_observed_at'>

const toPrevious = ({ previous_time = 0, previous_percentage = 0, previous_observed_at }: Previous): HistoryProgress['previous'] =>
  previous_observed_at ? { time: previous_time, percentage: previous_percentage, observed_at: timestamp(previous_observed_at) } : null

export const toHistory = ({
  _id,
  user_id,
  content_id,
  // Elements from before the validator may lack numbers.
  time = 0,
  percentage = 0,
  plays = 0,
  watched_at,
  created_at,
  updated_at,
  ...others
}: HistoryDocument): HistoryProgress => ({
  _id: _id.toHexString(),
  user_id,
  content_id,
  time,
  percentage,
  plays,
  watched_at: watched_at ? timestamp(watched_at) : null,
  previous: toPrevious(others),
  created_at: timestamp(created_at),
  updated_at: timestamp(updated_at)
})

const toExportedHistory = (element: HistoryDocument): ExportedHistory => ({
  ...toHistory(element),
  played_at: momentsOf(element).map(timestamp)
})

export const watchedContents = {
  name: 'history',
  orderedBy: 'updated_at',
  changedBy: ['updated_at', 'arrived_at'],
  toEntry: toHistory,
  toExported: toExportedHistory,
  removal: {
    observed: 'updated_at',
    isDatedByPlayers: true,
    partsAt: cutOff => {
      const later = { $gt: cutOff }
      const isCompletedSince = { $gt: ['$watched_at', cutOff] }
      const ifPreviousSince = (field: string) => ({ $cond: [{ $gt: ['$previous_observed_at', cutOff] }, `$${field}`, '$$REMOVE'] })
      return {
        removed: { updated_at: { $not: later } },
        kept: { updated_at: later, created_at: { $lte: cutOff } },
        begunAnew: {
          arrived_at: '$$NOW',
          created_at: '$updated_at',
          plays: { $cond: [isCompletedSince, 1, 0] },
          watched_at: { $cond: [isCompletedSince, '$watched_at', '$$REMOVE'] },
          ...Object.fromEntries(previousFields.map(field => [field, ifPreviousSince(field)])),
          ...playedSince(cutOff),
          is_again: '$$REMOVE',
          event: '$$REMOVE',
          // A later move would subtract plays that are already gone.
          merged: '$$REMOVE'
        }
      }
    }
  },
  move: {
    dated: 'created_at',
    observed: 'updated_at',
    earliest: 'created_at',
    latest: 'watched_at',
    count: 'plays',
    arrival: { arrived_at: '$$NOW' }
  }
} satisfies ListDescription

interface HistoryFilter {
  content_id?: number[] | undefined
  status?: HistoryStatus | undefined
}

export const historyId = (id: string, missing: () => ErrorAnswer) => {
  if (!/^[0-9a-f]{24}$/.test(id)) throw missing()
  return new ObjectId(id)
}

const filterOf = (user_id: number, { content_id, status }: HistoryFilter, completedAt: number): Filter<HistoryDocument> => ({
  user_id,
  ...(content_id && { content_id: { $in: content_id } }),
  ...(status && statusFilter(status, completedAt))
})

export const historyOf = (db: Db, { remover, completedAt }: { remover: Remover; completedAt: number }) => {
  const history = db.collection<HistoryDocument>('history')
  return {
    list: (user_id: number, query: HistoryFilter & PageQuery, isShown?: IsShown) => {
      const selected = { filter: filterOf(user_id, query, completedAt), order: { updated_at: -1, _id: -1 }, isShown } as const
      return pageOf(db, history, selected, query)
    },

    byId: async (user_id: number, id: string) => {
      const _id = historyId(id, resourceNotFound)
      const [element] = await findAll(db, history, { _id, user_id })
      if (!element) throw await forbiddenOr(resourceNotFound, history, { _id })
      return element
    },

    /** The elements of these items that the user can resume. */
    resumable: (user_id: number, content_ids: number[]) =>
      findAll(db, history, { user_id, content_id: { $in: content_ids }, ...resumableFilter }),

    remove: async (user_id: number, id: string, isShown?: IsShown) => {
      const _id = historyId(id, resourceNotFound)
      await remover.one(user_id, _id, resourceNotFound, isShown)
    },

    removeAll: remover.all,
    ...historyColumnsOf(db, completedAt)
  }
}
