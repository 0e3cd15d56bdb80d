import { moment } from '../../time.js'

/** The date in a field of a checked record. */
export const momentOf = (text: string | undefined) => (text === undefined ? undefined : (moment(text) as Date))

export const momentOrNull = (text: string | null | undefined) => (text ? (moment(text) as Date) : null)
