import { maxMarked, ProgressReport, type ProgressUpdate, type RefusedReport, type WatchedMark } from '../../schemas/history.js'
import { type Audience, isAvailable } from '../catalogue/audience.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import { type ErrorAnswer, historyContentIdMissing, historyContentNotFound, invalid, orThrow } from '../errors.js'
import { hasContentId } from '../http/requests.js'
import { compileValidator, invalidRequest } from '../http/validation.js'
import { progressOf, type Report } from './progress.js'

/**
 * Whether the content id of the element must be looked up before the update, which may cost a read. Always if the profile has an age
 * limit, because the item may be above it.
 */
export const needsContent = ({ time, percentage }: ProgressUpdate, { skeleton }: Catalogue, { maxAge }: Audience) =>
  maxAge !== undefined || (percentage === undefined && skeleton.hasDurations) || (time !== undefined && skeleton.hasCredits)

/**
 * The progress of a report, given the duration and credits of its content. `content_id` is the current id, and may be undefined unless
 * `needsContent`.
 */
export const progressIn = (content_id: number | undefined, update: ProgressUpdate, { skeleton }: Catalogue, { country }: Audience) =>
  progressOf(update, { country, ...(content_id !== undefined && skeleton.lengthOf(content_id)) })

const check = compileValidator({ schema: ProgressReport })

/** The report, or undefined if its item is not available to the audience. Throws a 503 if the catalogue is too old to tell. */
export const reportOf = (body: ProgressReport, catalogue: Catalogue, audience: Audience): Report | undefined => {
  const content_id = catalogue.availableId(body.content_id, audience)
  if (content_id === undefined) return undefined
  return { ...withEarlierIds(content_id, catalogue), progress: progressIn(content_id, body, catalogue, audience) }
}

/** An item with its earlier ids. Nearly all have none. */
export const withEarlierIds = (content_id: number, { skeleton }: Catalogue) => {
  const [_current, ...earlier] = skeleton.idsOf(content_id)
  return { content_id, earlier }
}

/** The report of an item that is played to its end. */
export const endOf = (content_id: number, catalogue: Catalogue): Report => ({
  ...withEarlierIds(content_id, catalogue),
  progress: { time: catalogue.skeleton.lengthOf(content_id).duration, percentage: 100, onlyCompletes: true }
})

/** The report, or the error that POST /history would return. */
const readReport = (body: unknown, catalogue: Catalogue, audience: Audience): Report | ErrorAnswer => {
  if (!hasContentId(body)) return historyContentIdMissing()
  const { error } = check(body)
  if (error) return invalidRequest(error, 'body')
  return reportOf(body as ProgressReport, catalogue, audience) ?? historyContentNotFound()
}

/** Reads each report by itself, and refuses those that POST /history would refuse. */
export const readReports = (bodies: unknown[], catalogue: Catalogue, audience: Audience) => {
  const reports: Report[] = []
  const refused: RefusedReport[] = []
  for (const [index, one] of bodies.entries()) {
    const report = readReport(one, catalogue, audience)
    if (report instanceof Error) refused.push({ index, code: Number(report.body.code), message: report.message })
    else reports.push(report)
  }
  return { reports, refused }
}

/** The items that are marked as watched or unwatched: the available episodes that a mark stands for, or the item alone. */
export const markedBy = ({ content_id, up_to = false }: WatchedMark, catalogue: Catalogue, audience: Audience) => {
  const { skeleton, tree } = catalogue
  const row = skeleton.row(orThrow(catalogue.availableId(content_id, audience), historyContentNotFound)) as number
  const type = skeleton.type.get(row)
  if (up_to && type !== 'episode') throw invalid([{ field: 'up_to', message: 'may only be set for an episode' }])
  const now = Date.now()
  const availableAmong = (rows: Iterable<number>) => Array.from(rows).filter(one => isAvailable(skeleton, one, now, audience))
  const rowsOf = () => {
    if (type === 'show' || type === 'season') return availableAmong(tree.episodes(row))
    if (!up_to) return [row]
    const episodes = [...tree.episodes(tree.title(row))]
    return availableAmong(episodes.slice(0, episodes.indexOf(row) + 1))
  }
  const rows = rowsOf()
  if (rows.length === 0) throw historyContentNotFound()
  if (rows.length > maxMarked) throw invalid([{ field: 'content_id', message: `must not cover more than ${maxMarked} episodes` }])
  return rows.map(one => skeleton.idOf(one))
}
