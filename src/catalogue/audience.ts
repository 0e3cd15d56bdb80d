import { derived, type Skeleton } from './skeleton.js'
import { maxDepth, treeOf } from './tree.js'

/** An ISO 3166 code in upper case. */
export type Country = string

/** To whom content is shown. */
export interface Audience {
  /** Undefined if it is unknown. */
  country: Country | undefined
  /** The age limit, if any. Excludes content for older viewers, and content without a known minimum age. */
  maxAge: number | undefined
}

/** In an unknown country, without a limit. */
export const everybody: Audience = { country: undefined, maxAge: undefined }

/**
 * The one rule for what viewers may see: started, not ended, allowed in their country, and not above their age limit. In the skeleton,
 * deleted and replaced contents have an end before all other dates.
 */
export const isAvailable = (skeleton: Skeleton, row: number, now: number, { country, maxAge }: Audience) => {
  if (!(skeleton.starts.raw(row) <= now && now < skeleton.ends.raw(row))) return false
  if (!isWithinAge(skeleton, row, maxAge)) return false
  if (country === undefined) return true
  if (skeleton.exclude.get(row)?.includes(country)) return false
  return skeleton.include.get(row)?.includes(country) ?? true
}

/** Whether items with this id are shown. */
export type IsShown = (content_id: number) => boolean

/** Whether an item is within this age limit. One without a known minimum age passes only if there is no limit. */
export const isWithinAge = (skeleton: Skeleton, row: number, maxAge: number | undefined) =>
  maxAge === undefined || (agesOf(skeleton)[row] as number) <= maxAge

/** Whether an item exists for viewers: it has started, and is within the age limit. It may have ended or be deleted. */
export const existsFor = (skeleton: Skeleton, row: number, now: number, { maxAge }: Audience) =>
  skeleton.starts.raw(row) <= now && isWithinAge(skeleton, row, maxAge)

/** The row of the title that an item belongs to, if both exist for the audience. Earlier ids are followed. */
export const titleFor = (skeleton: Skeleton, id: number, audience: Audience, now = Date.now()) => {
  const row = skeleton.currentRow(id)
  if (row === undefined || !existsFor(skeleton, row, now, audience)) return undefined
  const title = treeOf(skeleton).title(row)
  return existsFor(skeleton, title, now, audience) ? title : undefined
}

/** Whether a title is shown in a viewer's lists. One that the catalogue lacks is shown only if there is no age limit. */
export const isListedFor = (skeleton: Skeleton, audience: Audience) => (id: number) =>
  skeleton.currentRow(id) === undefined ? audience.maxAge === undefined : titleFor(skeleton, id, audience) !== undefined

/** Stands for every country that no item names, because they all see the same. */
const elsewhere = 'elsewhere'

/**
 * Audiences with the same segment see the same content. All countries that no item names share one, and so do two age limits if no item's
 * minimum age lies between them.
 */
export const segmentOf = ({ countries, minAges }: Skeleton, { country, maxAge }: Audience): string | undefined => {
  const region = country === undefined || countries.has(country) ? country : elsewhere
  if (maxAge === undefined) return region
  return `${region} ${Math.max(-1, ...[...minAges].filter(age => age <= maxAge))}`
}

/** When the next item starts or ends. */
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

/** Above every limit. */
const unknownAge = 255

/**
 * The minimum age for each row: the highest of its own and those of its ancestors, so that no part of a show is available to younger
 * viewers. Only computed when a viewer has an age limit.
 */
const agesOf = derived(skeleton => {
  const ageOf = (row: number) => {
    let highest: number | undefined
    let at: number | undefined = row
    for (let depth = 0; at !== undefined && depth <= maxDepth; depth++) {
      const own = skeleton.minAge.get(at)
      if (own !== null && (highest === undefined || own > highest)) highest = own
      at = skeleton.parentRow(at)
    }
    return highest ?? unknownAge
  }
  return Uint8Array.from({ length: skeleton.size }, (_, row) => ageOf(row))
})
