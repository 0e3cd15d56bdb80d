import type { ViewerError } from './errors.js'
import type { Exclusively } from './exclusive.js'
import type { Store } from './store.js'

/** The position of the player. */
export interface Report {
  content_id: number
  /** Seconds from the start. */
  time?: number
  /** From 0 to 100. */
  percentage?: number
}

/** A report that the service has not acknowledged yet. */
export interface KeptReport extends Report {
  user_id: number
  /** Milliseconds, by the clock of this device. */
  observed: number
}

/** A report that the service has refused, and why. It is not sent again. */
export interface RefusedReport extends KeptReport {
  /** The code of the response, for example 404 if the content item is not there. */
  code?: number | undefined
  message: string
}

export interface Refusal {
  report: KeptReport
  error: ViewerError
}

/** The most reports that are kept of each user. When there are more, the oldest is dropped. */
const mostKept = 1000
const mostRefused = 200

const newestOf = <R extends KeptReport>(user_id: number, reports: R[], most: number) => {
  const dropped = new Set(reports.filter(report => report.user_id === user_id).slice(0, -most))
  return reports.filter(report => !dropped.has(report))
}

const isSameContent = (one: KeptReport, other: KeptReport) => one.user_id === other.user_id && one.content_id === other.content_id

/** Whether the answer to `last` settles this report too: it is for the same content item and not newer. */
export const isAnswered = (report: KeptReport, last: KeptReport) => isSameContent(report, last) && report.observed <= last.observed

const placeOf = ({ time, percentage }: Report) => time ?? percentage ?? 0
const isOnTheWay = (from: Report, middle: Report, to: Report) => (placeOf(middle) - placeOf(from)) * (placeOf(to) - placeOf(middle)) >= 0

/**
 * Keeps the first and the newest report of each content item, and those where the viewer turned back or forward: the newest report alone
 * would not say that a viewer who has begun again had seen the end.
 */
const withReport = (reports: KeptReport[], report: KeptReport) => {
  const [newest, before] = reports.filter(other => isSameContent(other, report)).reverse()
  if (!newest || !before || !isOnTheWay(before, newest, report)) return newestOf(report.user_id, [...reports, report], mostKept)
  return [...reports.filter(other => other !== newest), { ...newest, ...report }]
}

/** The reports that are not sent yet, oldest first, and separately those that the service has refused. */
export const createKeptReports = (store: Store, exclusively: Exclusively) => {
  const kept = async () => (await store.load('reports')) ?? []
  const refused = async () => (await store.load('refused')) ?? []
  const edit = (change: (reports: KeptReport[]) => KeptReport[]) =>
    exclusively('reports', async () => store.save('reports', change(await kept())))
  const editRefused = (change: (reports: RefusedReport[]) => RefusedReport[]) =>
    exclusively('refused', async () => store.save('refused', change(await refused())))

  return {
    of: async (user_id: number) => (await kept()).filter(report => report.user_id === user_id),
    add: (report: KeptReport) => edit(reports => withReport(reports, report)),
    /** Removes what was answered, but not a newer report that has meanwhile taken its place. */
    remove: (answered: KeptReport[]) => edit(reports => reports.filter(report => !answered.some(last => isAnswered(report, last)))),
    drop: (user_id: number) => edit(reports => reports.filter(report => report.user_id !== user_id)),

    refusedOf: async (user_id: number) => (await refused()).filter(report => report.user_id === user_id),
    /** Keeps the newest of each content item, because a player goes on reporting what is refused. */
    addRefused: ({ report, error: { code, message } }: Refusal) =>
      editRefused(reports => {
        const others = reports.filter(other => !isSameContent(other, report))
        return newestOf(report.user_id, [...others, { ...report, code, message }], mostRefused)
      }),
    dropRefused: (user_id: number) => editRefused(reports => reports.filter(report => report.user_id !== user_id))
  }
}
