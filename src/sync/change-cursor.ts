import { hash } from 'node:crypto'
import { ObjectId } from 'mongodb'
import { minutes, wireYears } from '../time.js'
import { type ChangePosition, changeOverlap, sourceCount } from './changed-elements.js'
import { removalsKept } from './removals.js'

/** How far a caller has read the changes of a user. */
export interface ChangeCursor {
  user: number
  /** The age limit of the audience. A copy made under another limit has too few or too many elements. */
  maxAge: number | undefined
  position: ChangePosition
  /** When the current reading, which may take several pages, began. */
  began: number
  /** Whether the caller had no copy when the reading began. */
  isFirst: boolean
  /**
   * Where the next reading starts: at the `completeUntil` of the first page of this reading that had later changes, or 0 until there is
   * such a page. A first reading always uses the `completeUntil` of its first page.
   */
  rereadFrom: number
}

const beforeSources = -1
const before = (time: number): ChangePosition => ({ time, source: beforeSources, id: 0, content_id: 0 })

/** Before everything. */
export const firstPosition = before(wireYears.first.getTime())

/** For a caller who has read everything before this time. */
export const cursorAt = (user: number, time: number, maxAge?: number): ChangeCursor => ({
  user,
  maxAge,
  position: before(time),
  began: time,
  isFirst: false,
  rereadFrom: 0
})

/** Whether the caller has read everything up to the time of the cursor, and not just a page of it. */
export const hasReadAll = ({ isFirst, position }: ChangeCursor) => !isFirst && position.source === beforeSources

const checksumLength = 11

/** Encodes a cursor with a checksum. No key is needed, because a forged cursor only changes where reading the caller's own lists starts. */
export const encoded = (values: unknown) => {
  const json = JSON.stringify(values)
  return Buffer.from(json).toString('base64url') + hash('sha256', json, 'base64url').slice(0, checksumLength)
}

export const cursorText = ({ user, position: { time, source, id, content_id }, began, isFirst, rereadFrom, maxAge }: ChangeCursor) => {
  const limit = maxAge === undefined ? [] : [maxAge]
  return encoded([user, time, source, id, content_id, began, Number(isFirst), rereadFrom, ...limit])
}

const decoded = (text: string): unknown => {
  try {
    const values = JSON.parse(Buffer.from(text.slice(0, -checksumLength), 'base64url').toString())
    // Different strings may decode to the same bytes, so the strings are compared.
    return encoded(values) === text ? values : undefined
  } catch {
    return undefined
  }
}

/** Of two callers who have read everything, the cursor from which both may continue. */
export const olderCursor = (one: string, other: string) => {
  const timeOf = (text: string) => (decoded(text) as number[])[1] as number
  return timeOf(one) <= timeOf(other) ? one : other
}

/** A cursor that is too old, so that the next response resets the copy and sends everything. */
export const resettingCursor = (user: number) => cursorText(cursorAt(user, 0))

/** A cursor from shortly ago, whatever the difference between the clocks. */
export const recentCursor = (user: number, maxAge: number | undefined) =>
  cursorText(cursorAt(user, Date.now() - clockDifference - changeOverlap, maxAge))

const idOf = (value: unknown) => {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^[0-9a-f]{24}$/.test(value) ? new ObjectId(value) : undefined
}

/** How much the clocks of the database and of this process may differ. */
const clockDifference = minutes(5)

interface Reader {
  user: number
  maxAge: number | undefined
  /** When the database was last restored from a backup. */
  restoredAt: number
}

/**
 * Undefined if the string is not a cursor of this user and age limit, is older than the oldest recorded removals, or is from before a
 * restore.
 */
export const readCursor = (text: string, { user, maxAge, restoredAt }: Reader, now = Date.now()): ChangeCursor | undefined => {
  const values = decoded(text)
  if (!Array.isArray(values) || values.length !== (maxAge === undefined ? 8 : 9)) return undefined
  const [owner, time, source, id, content_id, began, isFirst, rereadFrom, limit] = values
  const position = idOf(id)
  if (owner !== user || limit !== maxAge || position === undefined) return undefined
  if (![time, source, content_id, began, isFirst, rereadFrom].every(Number.isSafeInteger)) return undefined
  const latest = now + clockDifference
  if (time < firstPosition.time || Math.max(time, began, rereadFrom) > latest || source < beforeSources || source >= sourceCount)
    return undefined
  if (began < Math.max(now - removalsKept + changeOverlap, restoredAt - changeOverlap)) return undefined
  return { user, maxAge, position: { time, source, id: position, content_id }, began, isFirst: isFirst === 1, rereadFrom }
}
