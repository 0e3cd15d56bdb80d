import type { Calls } from './calls.js'

export interface PlaysOptions {
  /** Only plays of these items. */
  content_id?: number[]
  /** Only plays from this timestamp on. */
  from?: string
  /** Only plays before this timestamp. */
  to?: string
  page?: number
  perPage?: number
}

export interface YearOptions {
  /** The IANA time zone in which the year and its months begin. UTC by default. */
  timezone?: string
}

/** What the user has finished, and when. */
export const createPlays = (calls: Calls) => ({
  /** The plays of the user, newest first. */
  plays: (query: PlaysOptions = {}) => calls.get('/plays', { params: { query } }),
  /** A summary of the plays of a year. The minutes are the durations of the played items, not the time that the user spent watching. */
  year: (year: number, query: YearOptions = {}) => calls.get('/me/years/{year}', { params: { path: { year: String(year) }, query } })
})
