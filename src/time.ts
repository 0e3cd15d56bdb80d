import type { Timestamp } from '../schemas/common.js'

/** The wire form of a moment: six fractional digits, of which a BSON date knows three. */
export const timestamp = (moment: Date): Timestamp => `${moment.toISOString().slice(0, -1)}000Z` as Timestamp

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

/** The moment that an RFC 3339 text names, cut to the millisecond; undefined where it names none, like a 30th of February. */
export const moment = (text: string): Date | undefined => {
  if (!rfc3339.test(text)) return undefined
  const normal = text
    .toUpperCase()
    .replace(' ', 'T')
    .replace(/(\.\d{3})\d+/, '$1')
  const at = new Date(normal)
  if (Number.isNaN(at.getTime())) return undefined
  return Number(normal.slice(8, 10)) <= daysOfMonth(Number(normal.slice(0, 4)), Number(normal.slice(5, 7))) ? at : undefined
}

const daysOfMonth = (year: number, month: number) => new Date(Date.UTC(year, month, 0)).getUTCDate()

export const seconds = (count: number) => count * 1000
export const minutes = (count: number) => seconds(count * 60)
export const days = (count: number) => minutes(count * 60 * 24)
