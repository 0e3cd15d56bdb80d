import type { Document } from 'mongodb'
import { briefSeconds, type HistoryStatus, type ProgressUpdate } from '../../schemas/history.js'
import { alsoEvent, eventOf } from '../database/events.js'
import { momentOf } from '../time.js'
import { playedOnceMore } from './played.js'

export interface Progress {
  time?: number | undefined
  percentage?: number | undefined
  /** Once the credits begin, an item is completed. */
  isAtCredits?: boolean
  /** For a mark: only completes an element that is not completed. */
  onlyCompletes?: boolean
  /** When the player was at this position. Defaults to now, and counts as now if the player's clock runs ahead. */
  observed_at?: Date | undefined
  country?: string | undefined
}

export interface Reported {
  content_id: number
  /** Earlier ids of the item, under which it may still have an element, or had one that was removed. */
  earlier?: number[]
}

export interface Report extends Reported {
  progress: Progress
}

/** The percentage for a player that reports only the time. */
const percentageAt = (time: number | undefined, duration: number | undefined) =>
  time !== undefined && duration !== undefined ? Math.min(100, (100 * time) / duration) : undefined

interface Circumstances {
  country?: string | undefined
  /** Of the content, in seconds. */
  duration?: number | undefined
  credits?: number | undefined
}

/**
 * If the duration and credits of the content are unknown, only the reported fields are used. `needsContent` tells which reports need them.
 */
export const progressOf = (
  { time, percentage, observed_at }: ProgressUpdate,
  { country, duration, credits = Number.POSITIVE_INFINITY }: Circumstances = {}
): Progress => ({
  time,
  percentage: percentage ?? percentageAt(time, duration),
  isAtCredits: time !== undefined && time >= credits,
  country,
  observed_at: momentOf(observed_at)
})

/** The percentage that a report stands for, if any. */
export const percentageOf = ({ percentage, isAtCredits }: Progress, completedAt: number) =>
  isAtCredits ? Math.max(percentage ?? 0, completedAt) : percentage

/** The rule of `COMPLETED_AT`. */
export const isCompleted = (percentage: number | undefined, completedAt: number) => (percentage ?? 0) >= completedAt

/** Below this percentage, a completed item counts as being watched from its beginning again. */
const beginningPercentage = 10

const storedPercentage = { $ifNull: ['$percentage', 0] }

/**
 * How a report that is newer than the element changes its completions. An empty cell means no change. The time of an added play is also
 * kept (`played`), unless the report is a mark, which does not say when the item was watched.
 *
 * | report           | element                                                       | plays | watched_at | is_again |
 * | ---------------- | ------------------------------------------------------------- | ----- | ---------- | -------- |
 * | at the end       | not at the end, never completed                               | + 1   | observed   | removed  |
 * | at the end       | not at the end, completed before and begun again since (*)    | + 1   | observed   | removed  |
 * | at the end       | any other                                                     |       |            |          |
 * | at the beginning | completed before (*)                                          |       |            | true     |
 * | any other        | any                                                           |       |            |          |
 *
 * At the end: the percentage is `COMPLETED_AT` or more. At the beginning: it is below `beginningPercentage`.
 * Begun again: it has `is_again`, or is at its beginning, where an import may put it without setting `is_again`.
 * (*) Not if the report is a repeat.
 *
 * `event` says which play was added and when. Without a play it is removed, so that nobody takes the event of an earlier update for one of
 * this. `isOneOfSeveral` is true if other reports of the same update may have stored theirs. All expressions read the element as it was
 * before the report.
 */
const completionsAfter = (
  percentage: number | undefined,
  { observed, isRepeat, isMark, completedAt, isOneOfSeveral }: { isMark: boolean } & Required<Effect>
): Record<string, unknown> => {
  const event = isOneOfSeveral ? '$event' : '$$REMOVE'
  if (percentage === undefined) return { event }
  if (isCompleted(percentage, completedAt)) {
    const isFirst = { $not: ['$plays'] }
    const isAtBeginning = { $lt: [storedPercentage, beginningPercentage] }
    const isNext = { $and: [{ $not: [isRepeat] }, { $or: ['$is_again', isAtBeginning] }] }
    const isCompletion = { $and: [{ $lt: [storedPercentage, completedAt] }, { $or: [isFirst, isNext] }] }
    const plays = { $min: [{ $add: [{ $ifNull: ['$plays', 0] }, 1] }, Number.MAX_SAFE_INTEGER] }
    const counted = eventOf('$user_id', '$content_id', plays, observed, isMark ? 'mark' : 'report')
    return {
      plays: { $cond: [isCompletion, plays, '$plays'] },
      event: { $cond: [isCompletion, isOneOfSeveral ? alsoEvent(counted) : counted, event] },
      watched_at: { $cond: [isCompletion, observed, '$watched_at'] },
      is_again: { $cond: [isCompletion, '$$REMOVE', '$is_again'] },
      ...(!isMark && onlyIf(isCompletion, playedOnceMore(observed)))
    }
  }
  if (percentage < beginningPercentage) {
    const isBegunAgain = { $and: [{ $gt: ['$plays', 0] }, { $not: [isRepeat] }] }
    return { is_again: { $cond: [isBegunAgain, true, '$is_again'] }, event }
  }
  return { event }
}

/** In seconds. A viewer who watches this far did not start by mistake. */
const lastingSeconds = 600

/** The position before a brief start, which is sent as `previous`. */
const previous = { previous_time: '$time', previous_percentage: storedPercentage, previous_observed_at: '$updated_at' }

export const previousFields = Object.keys(previous) as (keyof typeof previous)[]

/**
 * Keeps the position before a brief start, because an item may be restarted by mistake. When the position falls below `briefSeconds`, the
 * old one is kept as `previous`, until a report reaches it or `lastingSeconds`. No fields mean no change.
 */
const previousAfter = ({ time, percentage = 0 }: Progress, completedAt: number) => {
  const changed = (change: (field: string, position: unknown) => unknown) =>
    Object.fromEntries(Object.entries(previous).map(([field, position]) => [field, change(field, position)]))

  if (isCompleted(percentage, completedAt) || (time !== undefined && time >= lastingSeconds)) return changed(() => '$$REMOVE')
  if (time === undefined) return {}
  const unlessReached = (field: string) => ({ $cond: [{ $gte: [time, '$previous_time'] }, '$$REMOVE', `$${field}`] })
  if (time >= briefSeconds) return changed(unlessReached)
  const isUnfinished = { $and: [{ $gte: ['$time', briefSeconds] }, { $lt: [storedPercentage, completedAt] }] }
  // In MongoDB, a missing field is less than null, and null is less than any number.
  const isMissing = { $lte: ['$previous_time', null] }
  return changed((field, position) => ({ $cond: [{ $and: [isMissing, isUnfinished] }, position, unlessReached(field)] }))
}

interface Effect {
  /** When the player was at the reported position. */
  observed: Document
  completedAt: number
  isRepeat?: unknown
  isOneOfSeveral?: boolean
}

/** What a report changes if it counts. */
export const changesBy = (report: Progress, { isRepeat = false, isOneOfSeveral = false, ...effect }: Effect): Document => {
  const { observed, completedAt } = effect
  const { time, country, onlyCompletes: isMark = false } = report
  const percentage = percentageOf(report, completedAt)
  return {
    ...(time !== undefined && { time }),
    ...(percentage !== undefined && { percentage }),
    updated_at: observed,
    ...completionsAfter(percentage, { ...effect, isRepeat, isOneOfSeveral, isMark }),
    ...previousAfter({ time, percentage }, completedAt),
    ...(country && { country })
  }
}

/** The fields that every element has, even one that a report adds. An upsert takes the user and the content id from its filter. */
export const defaultsAt = (observed: Document) => ({
  time: { $ifNull: ['$time', 0] },
  percentage: storedPercentage,
  created_at: { $ifNull: ['$created_at', observed] }
})

/** The fields change only under the condition. */
export const onlyIf = (condition: Document, fields: Document) =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, { $cond: [condition, value, `$${field}`] }]))

/**
 * The update for a report made now, by the clock of the database, because the clocks of server processes differ. `$$NOW` is fixed when the
 * operation starts, so an update that starts later may reach the element first. All expressions read the element as it was before.
 */
export const updateBy = (report: Progress, completedAt: number, isOneOfSeveral = false): Document => {
  const observed = { $max: ['$updated_at', '$$NOW'] }
  // GET /changes finds the element by `updated_at`, so it needs no arrival date in a second index.
  const changes = { ...changesBy(report, { observed, completedAt, isOneOfSeveral }), arrived_at: '$$REMOVE' }
  const isIncomplete = { $lt: [storedPercentage, completedAt] }
  return { $set: { ...defaultsAt(observed), ...(report.onlyCompletes ? onlyIf(isIncomplete, changes) : changes) } }
}

// What counts as started or completed, as filters and for elements in columns.

type Columns<Name extends string> = Record<Name, (number | undefined)[]>

/** The viewer is beyond the beginning. */
const startedFilter = { $or: [{ time: { $gt: 0 } }, { percentage: { $gt: 0 } }] }
const isPositive = (value: number | undefined) => (value ?? 0) > 0
const isStarted = ({ times, percentages }: Columns<'times' | 'percentages'>, i: number) =>
  isPositive(times[i]) || isPositive(percentages[i])

/** By the status in GET /history. `completed` looks at the current position, `watched` at earlier ones, too. */
export const statusFilter = (status: HistoryStatus, completedAt: number) => {
  const filters: Record<HistoryStatus, Document> = {
    in_progress: { percentage: { $not: { $gte: completedAt } }, ...startedFilter },
    completed: { percentage: { $gte: completedAt } },
    watched: { plays: { $gte: 1 } }
  }
  return filters[status]
}

/** Started, or restarted by mistake: it has a card in continue watching. */
export const resumableFilter = { $or: [...startedFilter.$or, { previous_time: { $gt: 0 } }] }
export const isResumable = (history: Columns<'times' | 'percentages' | 'previousTimes'>, i: number) =>
  isStarted(history, i) || isPositive(history.previousTimes[i])

/** Started or ever completed: says something about the viewer's taste, and is not recommended. */
export const isBegun = (history: Columns<'times' | 'percentages' | 'previousTimes' | 'plays'>, i: number) =>
  isResumable(history, i) || isPositive(history.plays[i])

/** Has anything that marking as unwatched would reset. */
export const begunFilter = { $or: [...resumableFilter.$or, { plays: { $gt: 0 } }] }
export const hasBegun = ({
  time,
  percentage,
  plays,
  previous_time
}: Partial<Record<'time' | 'percentage' | 'plays' | 'previous_time', number>>) => [time, percentage, plays, previous_time].some(isPositive)

/** Resets an element to never watched. Older reports no longer change it. The times of its plays are kept. */
export const unwatchedUpdate = [
  { $set: { time: 0, percentage: 0, plays: 0, updated_at: { $max: ['$updated_at', '$$NOW'] } } },
  // With `merged`, a later move would subtract plays that are already gone.
  { $unset: ['watched_at', 'is_again', 'arrived_at', 'merged', 'event', ...previousFields] }
]
