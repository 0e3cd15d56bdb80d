import type { Country } from './country.js'
import type { Skeleton } from './skeleton.js'

/** The one rule for what viewers may see: started, not ended, not deleted, and allowed in the caller's country. */
export const isOpen = (skeleton: Skeleton, row: number, now: number, country: Country | undefined) => {
  if (!(skeleton.starts.raw(row) <= now && now < skeleton.ends.raw(row))) return false
  if (country === undefined) return true
  if (skeleton.exclude.get(row)?.includes(country)) return false
  return skeleton.include.get(row)?.includes(country) ?? true
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
