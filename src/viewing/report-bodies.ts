import { ProgressReport, type ProgressUpdate, type RefusedReport } from '../../schemas/history.js'
import type { Audience } from '../catalogue/audience.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import { progressOf } from '../data/progress.js'
import type { Report } from '../data/reports.js'
import { type ErrorAnswer, historyContentIdMissing, historyContentNotFound } from '../errors.js'
import { hasContentId } from '../http/requests.js'
import { compileValidator, invalidRequest } from '../http/validation.js'

/** Whether the content must be known before the update. Looking it up may cost a read, so other updates skip it. */
export const needsContent = ({ percentage }: ProgressUpdate, { skeleton }: Catalogue, { maxAge }: Audience) =>
  maxAge !== undefined || (percentage === undefined && skeleton.hasDurations)

/** The percentage of a time follows from the duration of the content, so without a content it stays undefined. */
export const progressIn = (content_id: number | undefined, update: ProgressUpdate, { skeleton }: Catalogue, { country }: Audience) =>
  progressOf(update, { country, duration: content_id === undefined ? undefined : skeleton.durationOf(content_id) })

const check = compileValidator({ schema: ProgressReport })

/** The report, or what POST /history would refuse it with. */
const readReport = (body: unknown, catalogue: Catalogue, audience: Audience): Report | ErrorAnswer => {
  if (!hasContentId(body)) return historyContentIdMissing()
  const { error } = check(body)
  if (error) return invalidRequest(error, 'body')
  const report = body as ProgressReport
  const { content_id } = report
  if (!catalogue.isOpen(content_id, audience)) return historyContentNotFound()
  return { content_id, progress: progressIn(content_id, report, catalogue, audience) }
}

/** Refuses what POST /history would refuse, each report by itself. */
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
