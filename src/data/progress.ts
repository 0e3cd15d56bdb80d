import type { Document } from 'mongodb'
import type { ProgressUpdate } from '../../schemas/history.js'
import { moment } from '../time.js'
import { isUncounted } from './completions.js'

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

const storedPercentage = { $ifNull: ['$percentage', 0] }

/** The completions of the element, with one that an earlier version did not count. */
const completionsBefore = (completedAt: number) => {
  const hasUncounted = isUncounted(completedAt)
  return {
    isAny: { $or: [hasUncounted, { $gt: ['$plays', 0] }] },
    plays: { $cond: [hasUncounted, 1, '$plays'] },
    watched_at: { $cond: [hasUncounted, '$updated_at', '$watched_at'] }
  }
}

/**
 * The completions after a report that is newer than the element. Empty cell: unchanged, apart from what `completionsBefore` adds.
 *
 * | report           | element                                                                | plays | watched_at | is_again |
 * | ---------------- | ---------------------------------------------------------------------- | ----- | ---------- | -------- |
 * | at the end       | before the end, and (never completed, `is_again`, or at the beginning) | + 1   | observed   | removed  |
 * | at the end       | any other                                                              |       |            |          |
 * | at the beginning | completed before                                                       |       |            | true     |
 * | any other        | any                                                                    |       |            |          |
 *
 * A completed element that is at its beginning without `is_again` was put there by an import or an earlier version, neither of which sets
 * it. The next completion of such an element counts, too.
 */
const completionsAfter = (percentage: number | undefined, observed: Document, completedAt: number): Record<string, unknown> => {
  const { isAny, plays, watched_at } = completionsBefore(completedAt)
  if (percentage === undefined) return { plays, watched_at }
  if (percentage >= completedAt) {
    const isFirst = { $not: ['$plays'] }
    const isAtBeginning = { $lt: [storedPercentage, beginning] }
    const isCompletion = { $and: [{ $lt: [storedPercentage, completedAt] }, { $or: [isFirst, '$is_again', isAtBeginning] }] }
    return {
      plays: { $cond: [isCompletion, { $add: [{ $ifNull: ['$plays', 0] }, 1] }, plays] },
      watched_at: { $cond: [isCompletion, observed, watched_at] },
      is_again: { $cond: [isCompletion, '$$REMOVE', '$is_again'] }
    }
  }
  if (percentage < beginning) return { plays, watched_at, is_again: { $cond: [isAny, true, '$is_again'] } }
  return { plays, watched_at }
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
  const ifNewer = (field: string, value: unknown) => (observed_at ? { $cond: [isNewer, value, `$${field}`] } : value)
  const latest = (field: string, value: number | undefined) => (value === undefined ? { $ifNull: [`$${field}`, 0] } : ifNewer(field, value))
  const completions = Object.entries(completionsAfter(percentage, observed, completedAt))
  return {
    $set: {
      time: latest('time', time),
      percentage: latest('percentage', percentage),
      created_at: { $ifNull: ['$created_at', observed] },
      arrived_at: observed_at ? ifNewer('arrived_at', '$$NOW') : '$$REMOVE',
      updated_at: ifNewer('updated_at', observed),
      ...Object.fromEntries(completions.map(([field, value]) => [field, ifNewer(field, value)])),
      ...(country && { country: ifNewer('country', country) })
    }
  }
}

/** The update that applies reports to a history element, new or existing, one after the other. */
export const progressUpdate = (reports: Progress[], completedAt: number) => reports.map(report => stageOf(report, completedAt))
