import type { Document } from 'mongodb'
import { brief, type HistoryStatus, type ProgressUpdate } from '../../schemas/history.js'
import { moment } from '../time.js'

/** What a player reports. */
export interface Progress {
  time?: number | undefined
  percentage?: number | undefined
  /** From the credits on, a content is completed. */
  isAtCredits?: boolean
  /** It only completes an element that is not completed. */
  isMark?: boolean
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
  duration?: number | undefined
  /** When the credits begin, in seconds. */
  credits?: number | undefined
}

/** Without the lengths of the content, a report says no more than its fields. `needsContent` tells which reports need them. */
export const progressOf = (
  { time, percentage, observed_at }: ProgressUpdate,
  { country, duration, credits = Number.POSITIVE_INFINITY }: Circumstances
): Progress => ({
  time,
  percentage: percentage ?? percentageAt(time, duration),
  isAtCredits: time !== undefined && time >= credits,
  country,
  observed_at: observed_at === undefined ? undefined : moment(observed_at)
})

/** The rule of `COMPLETED_AT`. */
export const isCompleted = (percentage: number | undefined, completedAt: number) => (percentage ?? 0) >= completedAt

/** Below this percentage, a completed content counts as being watched from its beginning again. */
const beginning = 10

const storedPercentage = { $ifNull: ['$percentage', 0] }

/**
 * What a report that is newer than the element does to its completions. An empty cell means unchanged.
 *
 * | report           | element                                                       | plays | watched_at | is_again |
 * | ---------------- | ------------------------------------------------------------- | ----- | ---------- | -------- |
 * | at the end       | not at the end, never completed                               | + 1   | observed   | removed  |
 * | at the end       | not at the end, completed before and begun again since (*)    | + 1   | observed   | removed  |
 * | at the end       | any other                                                     |       |            |          |
 * | at the beginning | completed before (*)                                          |       |            | true     |
 * | any other        | any                                                           |       |            |          |
 *
 * Begun again: it has `is_again`, or is at its beginning. An import may put it there, and does not set `is_again`.
 * (*) Not if the report is a repeated one.
 */
const completionsAfter = (
  percentage: number | undefined,
  { observed, isRepeat, completedAt }: { observed: Document; isRepeat: unknown; completedAt: number }
): Record<string, unknown> => {
  if (percentage === undefined) return {}
  if (isCompleted(percentage, completedAt)) {
    const isFirst = { $not: ['$plays'] }
    const isAtBeginning = { $lt: [storedPercentage, beginning] }
    const isNext = { $and: [{ $not: [isRepeat] }, { $or: ['$is_again', isAtBeginning] }] }
    const isCompletion = { $and: [{ $lt: [storedPercentage, completedAt] }, { $or: [isFirst, isNext] }] }
    return {
      plays: { $cond: [isCompletion, { $min: [{ $add: [{ $ifNull: ['$plays', 0] }, 1] }, Number.MAX_SAFE_INTEGER] }, '$plays'] },
      watched_at: { $cond: [isCompletion, observed, '$watched_at'] },
      is_again: { $cond: [isCompletion, '$$REMOVE', '$is_again'] }
    }
  }
  if (percentage < beginning) {
    const isBegunAgain = { $and: [{ $gt: ['$plays', 0] }, { $not: [isRepeat] }] }
    return { is_again: { $cond: [isBegunAgain, true, '$is_again'] } }
  }
  return {}
}

/**
 * In seconds. A content may be started again by mistake. When the position falls below `brief`, the old one is kept as `previous`, until a
 * report reaches the old one, or this.
 */
const lasting = 600

/** The position before a brief start, which is sent as `previous`. */
const previous = { previous_time: '$time', previous_percentage: storedPercentage, previous_observed_at: '$updated_at' }

export const previousFields = Object.keys(previous) as (keyof typeof previous)[]

/** What becomes of the position before a brief start. No fields mean that it is unchanged. */
const previousAfter = ({ time, percentage = 0 }: Progress, completedAt: number) => {
  const changed = (change: (field: string, position: unknown) => unknown) =>
    Object.fromEntries(Object.entries(previous).map(([field, position]) => [field, change(field, position)]))

  if (isCompleted(percentage, completedAt) || (time !== undefined && time >= lasting)) return changed(() => '$$REMOVE')
  if (time === undefined) return {}
  // A missing field is less than any number.
  const unlessReached = (field: string) => ({ $cond: [{ $gte: [time, '$previous_time'] }, '$$REMOVE', `$${field}`] })
  if (time >= brief) return changed(unlessReached)
  const isUnfinished = { $and: [{ $gte: ['$time', brief] }, { $lt: [storedPercentage, completedAt] }] }
  const isLost = { $and: [{ $lte: ['$previous_time', null] }, isUnfinished] }
  return changed((field, position) => ({ $cond: [isLost, position, unlessReached(field)] }))
}

/** What an element was before the first of several reports of one request. */
const asBefore = (reports: Progress[]) => {
  const observations = reports.flatMap(({ observed_at }) => observed_at ?? [])
  const claimed_at = { $cond: [{ $in: ['$claimed_at', observations] }, '$claimed_at', '$$REMOVE'] }
  return { $set: { before: { updated_at: '$updated_at', claimed_at } } }
}

/**
 * Of two reports, the one observed later wins, in whatever order they arrive. The database's clock decides, because the clocks of
 * server processes differ.
 *
 * | report                | observed                                            | counts                          |
 * | --------------------- | --------------------------------------------------- | ------------------------------- |
 * | without `observed_at` | now, or as late as the element if that is later (*) | always                          |
 * | a mark as watched     | the same                                            | unless the element is completed |
 * | with `observed_at`    | then, or now if that is earlier                     | unless the element is newer     |
 *
 * (*) `$$NOW` is fixed when the operation starts, and another update that starts later may reach the element first.
 *
 * A report that comes again adds no play: it is not newer than the element was before the request (`before`). One from the future is stored
 * with the time of its arrival, and would seem newer when it comes again. So its own `observed_at` is kept in `claimed_at`, too.
 */
const stageOf = (report: Progress, completedAt: number) => {
  const { time, observed_at, isMark, country } = report
  const percentage = report.isAtCredits ? Math.max(report.percentage ?? 0, completedAt) : report.percentage
  const observed = observed_at ? { $min: [observed_at, '$$NOW'] } : { $max: ['$updated_at', '$$NOW'] }
  const isNewer = { $lte: [{ $ifNull: ['$updated_at', observed] }, observed] }
  const isCounted = isMark
    ? { $lt: [storedPercentage, completedAt] }
    : { $and: [isNewer, { $not: [{ $lte: [observed_at, '$before.claimed_at'] }] }] }
  const ifCounted = (field: string, value: unknown) => (observed_at || isMark ? { $cond: [isCounted, value, `$${field}`] } : value)
  const latest = (field: string, value: number | undefined) =>
    value === undefined ? { $ifNull: [`$${field}`, 0] } : ifCounted(field, value)
  const isRepeat = observed_at ? { $gte: ['$before.updated_at', observed] } : false
  const changes = {
    ...completionsAfter(percentage, { observed, isRepeat, completedAt }),
    ...previousAfter({ time, percentage }, completedAt)
  }
  return {
    $set: {
      time: latest('time', time),
      percentage: latest('percentage', percentage),
      created_at: { $ifNull: ['$created_at', observed] },
      arrived_at: ifCounted('arrived_at', observed_at ? '$$NOW' : '$$REMOVE'),
      updated_at: ifCounted('updated_at', observed),
      ...Object.fromEntries(Object.entries(changes).map(([field, value]) => [field, ifCounted(field, value)])),
      ...(observed_at && { claimed_at: ifCounted('claimed_at', { $cond: [{ $gt: [observed_at, '$$NOW'] }, observed_at, '$claimed_at'] }) }),
      ...(country && { country: ifCounted('country', country) })
    }
  }
}

/** The update that applies reports to a history element, new or existing, one after the other. */
export const pipelineOf = (reports: Progress[], completedAt: number) => {
  const stages = reports.map(report => stageOf(report, completedAt))
  if (!reports.some(({ observed_at }) => observed_at)) return stages
  return [asBefore(reports), ...stages, { $unset: 'before' }]
}

// What counts as started or completed, as filters and for elements in columns. Other software may have left out any of the fields.

type Columns<Name extends string> = Record<Name, (number | undefined)[]>

/** The viewer is beyond the beginning. */
export const startedFilter = { $or: [{ time: { $gt: 0 } }, { percentage: { $gt: 0 } }] }
const isPositive = (value: number | undefined) => (value ?? 0) > 0
const isStarted = ({ times, percentages }: Columns<'times' | 'percentages'>, i: number) =>
  isPositive(times[i]) || isPositive(percentages[i])

/** By the status in GET /history. `completed` is the present position, `watched` any earlier one, too. */
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

/** Begun or ever completed: it says something about the viewer's taste, and is not recommended. */
export const isBegun = (history: Columns<'times' | 'percentages' | 'previousTimes' | 'plays'>, i: number) =>
  isResumable(history, i) || isPositive(history.plays[i])

/** Anything that marking it as unwatched takes back. */
export const begunFilter = { $or: [...resumableFilter.$or, { plays: { $gt: 0 } }] }
export const hasBegun = ({
  time,
  percentage,
  plays,
  previous_time
}: Partial<Record<'time' | 'percentage' | 'plays' | 'previous_time', number>>) => [time, percentage, plays, previous_time].some(isPositive)

/** The update that takes an element back to before it was ever watched. Older reports change nothing any more. */
export const unwatchedUpdate = [
  { $set: { time: 0, percentage: 0, plays: 0, updated_at: { $max: ['$updated_at', '$$NOW'] } } },
  // `merged` would take off plays that are gone.
  { $unset: ['watched_at', 'is_again', 'arrived_at', 'merged', ...previousFields] }
]
