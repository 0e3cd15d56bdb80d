import type { Audience } from './audience.js'
import type { Skeleton } from './skeleton.js'

/** The one rule for what viewers may see: started, not ended, not deleted, allowed in their country, and not above their age limit. */
export const isOpen = (skeleton: Skeleton, row: number, now: number, { country, maxAge }: Audience) => {
  if (!(skeleton.starts.raw(row) <= now && now < skeleton.ends.raw(row))) return false
  if (!skeleton.isSuited(row, maxAge)) return false
  if (country === undefined) return true
  if (skeleton.exclude.get(row)?.includes(country)) return false
  return skeleton.include.get(row)?.includes(country) ?? true
}

/** Tells by id whether a content, open or not, is within the age limit of an audience. Undefined without a limit. */
export const suitedTo = (skeleton: Skeleton, { maxAge }: Audience) =>
  maxAge === undefined
    ? undefined
    : (id: number) => {
        const row = skeleton.row(id)
        return row !== undefined && skeleton.isSuited(row, maxAge)
      }

/**
 * Tells by id whether a content has started and is within the age limit. Ended and deleted contents pass. A content that the
 * catalogue lacks passes only if there is no limit.
 */
export const hasStartedFor =
  (skeleton: Skeleton, { maxAge }: Audience, now: number) =>
  (id: number) => {
    const row = skeleton.row(id)
    return row === undefined ? maxAge === undefined : skeleton.starts.raw(row) <= now && skeleton.isSuited(row, maxAge)
  }

/** When the next content starts or ends. */
export const nextChange = (skeleton: Skeleton, now: number) => {
  let next = Number.POSITIVE_INFINITY
  for (let row = 0; row < skeleton.size; row++) {
    const starts = skeleton.starts.raw(row)
    const ends = skeleton.ends.raw(row)
    if (starts > now && starts < next) next = starts
    if (ends > now && ends < next) next = ends
  }
  return next
}
