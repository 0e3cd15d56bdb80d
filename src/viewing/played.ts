import type { Document, IndexDescription } from 'mongodb'
import { count, date, listOf, objectOf, optional } from '../database/bson-schema.js'

/** How many play times an element keeps. */
export const mostPlayed = 366

/** When an item was completed. Plays at unknown times are missing here, so `plays` may be higher. */
export interface Played {
  /** Newest first. In an object, because an index can cover an object, but not an array. */
  played?: { at: Date[] }
  /** The length of the list. */
  played_count?: number
}

/** For the validator. */
export const playedRules = { played: optional(objectOf<{ at: Date[] }>({ at: listOf(date) })), played_count: optional(count) }

/** Orders the elements by their latest play. */
export const latestPlayIndex = { user_id: 1, played: -1, content_id: 1 } as const
/** Finds the elements with more than one. */
const severalPlaysIndex = { user_id: 1, played_count: 1 } as const
export const severalPlays = { played_count: { $gt: 1 } }
export const playedIndexes: IndexDescription[] = [
  { key: latestPlayIndex, partialFilterExpression: { played: { $exists: true } } },
  { key: severalPlaysIndex, partialFilterExpression: severalPlays }
]

export const momentsOf = ({ played }: Played) => played?.at ?? []

/** The fields for these moments. */
export const playedOf = (moments: readonly Date[]): Played => {
  if (moments.length === 0) return {}
  const at = moments.toSorted((a, b) => b.getTime() - a.getTime()).slice(0, mostPlayed)
  return { played: { at }, played_count: at.length }
}

const storedMoments = { $ifNull: ['$played.at', []] }

/** The same for an update, from an expression for the moments. */
const playedBy = (moments: Document) => {
  const at = { $slice: [{ $sortArray: { input: moments, sortBy: -1 } }, mostPlayed] }
  const unlessNone = (value: Document) => ({ $cond: [{ $eq: [moments, []] }, '$$REMOVE', value] })
  return { played: unlessNone({ at }), played_count: unlessNone({ $size: at }) }
}

export const playedOnceMore = (observed: Document) => playedBy({ $concatArrays: [storedMoments, [observed]] })

export const playedSince = (cutOff: Date) => playedBy({ $filter: { input: storedMoments, cond: { $gt: ['$$this', cutOff] } } })

/** The moments in the first list without those in the other. A moment that is there twice may remain once. */
export const without = (moments: readonly Date[], others: readonly Date[]) => {
  const left = others.map(Number)
  return moments.filter(moment => {
    const at = left.indexOf(moment.getTime())
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}
