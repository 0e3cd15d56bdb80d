import type { Document } from 'mongodb'
import type { ProgressUpdate } from '../../schemas/history.js'
import { moment } from '../time.js'

/** What a player reports. */
export interface Progress {
  time?: number | undefined
  percentage?: number | undefined
  /** When the player was there. Defaults to now, and counts as now if the player's clock runs ahead. */
  observed_at?: Date | undefined
  country?: string | undefined
}

/** The percentage for a player that reports only the time. */
const percentageAt = (time: number | undefined, duration: number | undefined) =>
  time !== undefined && duration !== undefined ? Math.min(100, (100 * time) / duration) : undefined

interface Circumstances {
  country: string | undefined
  /** Of the content, in seconds. */
  duration: number | undefined
}

export const progressOf = ({ time, percentage, observed_at }: ProgressUpdate, { country, duration }: Circumstances): Progress => ({
  time,
  percentage: percentage ?? percentageAt(time, duration),
  country,
  observed_at: observed_at === undefined ? undefined : moment(observed_at)
})

/** Below this percentage, a completed content counts as being watched from its beginning again. */
const beginning = 10

/** `value` if the report is newer than what is stored, else `otherwise`. A report without `observed_at` is always newer. */
type Newer = (value: unknown, otherwise: string) => unknown

interface Observation {
  newer: Newer
  observed: Document
  completedAt: number
}

/** Counts a completion, but not a second one unless the content was at its beginning in between. */
const completions = (percentage: number | undefined, { newer, observed, completedAt }: Observation) => {
  const stored = { $ifNull: ['$percentage', 0] }
  // A completed element that an earlier version wrote.
  const isUncounted = { $and: [{ $eq: [{ $type: '$plays' }, 'missing'] }, { $gte: [stored, completedAt] }] }
  const plays = { $cond: [isUncounted, 1, '$plays'] }
  const watched_at = { $cond: [isUncounted, '$updated_at', '$watched_at'] }
  if (percentage === undefined || percentage < completedAt) {
    const isAgain = { $or: [isUncounted, { $gt: ['$plays', 0] }] }
    const again = percentage !== undefined &&
      percentage < beginning && { is_again: newer({ $cond: [isAgain, true, '$is_again'] }, '$is_again') }
    return { plays: newer(plays, '$plays'), watched_at: newer(watched_at, '$watched_at'), ...again }
  }
  const mayCount = { $or: [{ $not: ['$plays'] }, '$is_again', { $lt: [stored, beginning] }] }
  const isCompletion = { $and: [{ $lt: [stored, completedAt] }, mayCount] }
  return {
    plays: newer({ $cond: [isCompletion, { $add: [{ $ifNull: ['$plays', 0] }, 1] }, plays] }, '$plays'),
    watched_at: newer({ $cond: [isCompletion, observed, watched_at] }, '$watched_at'),
    is_again: newer({ $cond: [isCompletion, '$$REMOVE', '$is_again'] }, '$is_again')
  }
}

/**
 * Of two reports, the one observed later wins, in whatever order they arrive. The database's clock decides, because the clocks of
 * server processes differ.
 *
 * A report without `observed_at` always wins. `$$NOW` alone would not ensure that: it is fixed when the operation starts, and
 * another update that started later may reach the element first.
 */
const stageOf = ({ time, percentage, observed_at, country }: Progress, completedAt: number) => {
  const observed = observed_at ? { $min: [observed_at, '$$NOW'] } : { $max: ['$updated_at', '$$NOW'] }
  const isNewer = { $lte: [{ $ifNull: ['$updated_at', observed] }, observed] }
  const newer: Newer = (value, otherwise) => (observed_at ? { $cond: [isNewer, value, otherwise] } : value)
  const latest = (field: string, value: number | undefined) =>
    value === undefined ? { $ifNull: [`$${field}`, 0] } : newer(value, `$${field}`)
  return {
    $set: {
      time: latest('time', time),
      percentage: latest('percentage', percentage),
      created_at: { $ifNull: ['$created_at', observed] },
      arrived_at: observed_at ? newer('$$NOW', '$arrived_at') : '$$REMOVE',
      updated_at: newer(observed, '$updated_at'),
      ...completions(percentage, { newer, observed, completedAt }),
      ...(country && { country: newer(country, '$country') })
    }
  }
}

/** The update that applies reports to a history element, new or existing, one after the other. */
export const progressUpdate = (reports: Progress[], completedAt: number) => reports.map(report => stageOf(report, completedAt))
