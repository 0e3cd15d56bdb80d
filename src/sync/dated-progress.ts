import type { Document } from 'mongodb'
import { changesBy, defaultsAt, onlyIf, type Progress, updateBy } from '../viewing/progress.js'

/**
 * Keeps what an element was before the first report of a request. A `claimed_at` that no report of the request repeats says nothing about
 * them.
 */
const asBefore = (reports: Progress[]) => {
  const observations = reports.flatMap(({ observed_at }) => observed_at ?? [])
  const claimed_at = { $cond: [{ $in: ['$claimed_at', observations] }, '$claimed_at', '$$REMOVE'] }
  return { $set: { before: { updated_at: '$updated_at', claimed_at }, event: '$$REMOVE' } }
}

/**
 * A report with `observed_at` counts as made then, or now if that is earlier. Of two reports, the one observed later wins, whatever the
 * order in which they arrive.
 *
 * A repeated report adds no play, because it is not newer than the element was before the request (`before`). A report from the future is
 * stored with the time of its arrival, and would seem newer when repeated, so its own `observed_at` is kept in `claimed_at`.
 */
const updateByDated = (report: Progress, observed_at: Date, completedAt: number): Document => {
  const observed = { $min: [observed_at, '$$NOW'] }
  const isNewer = { $lte: [{ $ifNull: ['$updated_at', observed] }, observed] }
  // A missing `claimed_at` is less than every date.
  const isCounted = { $and: [isNewer, { $not: [{ $lte: [observed_at, '$before.claimed_at'] }] }] }
  const isRepeat = { $gte: ['$before.updated_at', observed] }
  const changes = {
    ...changesBy(report, { observed, completedAt, isRepeat, isOneOfSeveral: true }),
    arrived_at: '$$NOW',
    claimed_at: { $cond: [{ $gt: [observed_at, '$$NOW'] }, observed_at, '$claimed_at'] }
  }
  return { $set: { ...defaultsAt(observed), ...onlyIf(isCounted, changes) } }
}

/** The update for several reports of one element, one after the other. */
export const updateByAll = (reports: Progress[], completedAt: number): Document[] => {
  const areDated = reports.some(({ observed_at }) => observed_at)
  const [first] = reports
  if (first && reports.length === 1 && !areDated) return [updateBy(first, completedAt)]
  const updates = reports.map(report =>
    report.observed_at ? updateByDated(report, report.observed_at, completedAt) : updateBy(report, completedAt, true)
  )
  return [asBefore(reports), ...updates, { $unset: 'before' }]
}
