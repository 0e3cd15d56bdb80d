import { createHash } from 'node:crypto'
import type { Collection } from 'mongodb'
import { loginWindowMinutes, maxSuccessfulLogins } from '../identity/login-limits.js'
import { minutes } from '../time.js'

export interface AttemptsDocument {
  _id: string
  count: number
  /** How many attempts succeeded. Only an e-mail or PIN together with an address has this count. */
  right?: number
  /** Whether the latest attempt was allowed. */
  granted: boolean
  expires_at: Date
}

const window = minutes(loginWindowMinutes)

/** Hashed, because people may type anything into the e-mail field. */
export const bucketKey = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('base64url')

export interface Bucket {
  _id: string
  limit: number
}

export interface Attempt {
  /** Seconds until the next attempt, or undefined if this one is allowed. */
  retryAfter: number | undefined
  /** Uncounts the attempt, because the password was not checked. */
  forgive: () => Promise<void>
  /** Uncounts the attempt, because the password or code was right. A right password counts as a successful login. */
  succeed: () => Promise<void>
}

const nothing = async () => {}
export const uncounted: Attempt = { retryAfter: undefined, forgive: nothing, succeed: nothing }

export const secondsUntilEnd = (counts: AttemptsDocument[]) =>
  (Math.max(...counts.map(({ expires_at }) => expires_at.getTime())) - Date.now()) / 1000

export const refused = (counts: AttemptsDocument[]): Attempt => ({ ...uncounted, retryAfter: secondsUntilEnd(counts) })

export const increment = async (attempts: Collection<AttemptsDocument>, { _id, limit }: Bucket) => {
  const isOver = { $lte: [{ $ifNull: ['$expires_at', '$$NOW'] }, '$$NOW'] }
  const granted = { $or: [isOver, { $and: [{ $lt: ['$count', limit] }, { $lt: [{ $ifNull: ['$right', 0] }, maxSuccessfulLogins] }] }] }
  const counted = await attempts.findOneAndUpdate(
    { _id },
    [
      {
        $set: {
          granted,
          count: { $cond: [isOver, 1, { $min: [{ $add: ['$count', 1] }, limit] }] },
          right: { $cond: [isOver, '$$REMOVE', '$right'] },
          expires_at: { $cond: [isOver, { $add: ['$$NOW', window] }, '$expires_at'] }
        }
      }
    ],
    { upsert: true, returnDocument: 'after' }
  )
  return counted as AttemptsDocument
}

/** Takes back an attempt. Adds `successes` to the `right` of the first bucket. */
export const decrement = async (attempts: Collection<AttemptsDocument>, counts: AttemptsDocument[], successes = 0) => {
  // With `expires_at` in the filter, a window that has begun since is left alone.
  await attempts.bulkWrite(
    counts.map(({ _id, expires_at }, i) => ({
      updateOne: {
        filter: { _id, expires_at, count: { $gt: 0 } },
        update: { $inc: { count: -1, ...(i === 0 && successes > 0 && { right: successes }) } }
      }
    })),
    { ordered: false }
  )
}

/**
 * Counts an attempt in groups of buckets, the narrowest first: an attempt that a narrow one refuses must not use up the limits that
 * others share. If any is `refusing`, the attempt no longer counts in the others.
 */
export const takeInTurn = async (attempts: Collection<AttemptsDocument>, groups: Bucket[][]) => {
  const granted: AttemptsDocument[] = []
  for (const group of groups) {
    const counts = await Promise.all(group.map(bucket => increment(attempts, bucket)))
    const refusing = counts.filter(count => !count.granted)
    granted.push(...counts.filter(count => count.granted))
    if (refusing.length === 0) continue
    if (granted.length > 0) await decrement(attempts, granted)
    return { granted: [], refusing }
  }
  return { granted, refusing: [] }
}
