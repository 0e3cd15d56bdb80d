import type { Country } from './country.js'
import type { Skeleton } from './skeleton.js'

/** The one rule of what viewers are shown: not deleted, begun, not ended, allowed in the caller's country. */
export const isOpen = (skeleton: Skeleton, row: number, now: number, country: Country) => {
  if (!(skeleton.starts.raw(row) <= now && now < skeleton.ends.raw(row))) return false
  if (country === undefined) return true
  if (skeleton.exclude.get(row)?.includes(country)) return false
  return skeleton.include.get(row)?.includes(country) ?? true
}

/** The next moment at which a content opens or closes by itself. */
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
