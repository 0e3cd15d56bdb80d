import { createHash } from 'node:crypto'
import type { Collection, Db, IndexDescription } from 'mongodb'
import { minutes } from '../time.js'
import { findInOneBatch } from './driver/one-batch.js'
import { emailKey } from './users.js'

interface AttemptsDocument {
  _id: string
  count: number
  /** How many attempts succeeded. Counted only for an e-mail and address together. */
  right?: number
  /** Whether the latest attempt was allowed. */
  granted: boolean
  expires_at: Date
}

export const loginAttemptIndexes: IndexDescription[] = [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }]

export const loginWindowMinutes = 15
const window = minutes(loginWindowMinutes)

/** Hashed, because people may type anything into the e-mail field. */
const key = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('base64url')

/** Successful logins for one e-mail from one address in a window. No honest user needs more. */
export const maxSuccessfulLogins = 1000

export interface Attempt {
  /** Seconds until the next attempt, or undefined if this one is allowed. */
  retryAfter: number | undefined
  /** Uncounts the attempt, because the password was not checked. */
  forgive: () => Promise<void>
  /** Uncounts the attempt, because the password was right. */
  succeed: () => Promise<void>
}

const nothing = async () => {}
const uncounted: Attempt = { retryAfter: undefined, forgive: nothing, succeed: nothing }

interface Bucket {
  _id: string
  limit: number
}

/** The three limits of an attempt. The narrowest comes first. */
const bucketsOf = (email: string, address: string, limit: number): [Bucket, ...Bucket[]] => {
  const mail = emailKey(email)
  return [
    { _id: key('both', mail, address), limit },
    { _id: key('email', mail), limit: limit * 10 },
    { _id: key('address', address), limit: limit * 10 }
  ]
}

const increment = async (attempts: Collection<AttemptsDocument>, { _id, limit }: Bucket) => {
  const isOver = { $lte: [{ $ifNull: ['$expires_at', '$$NOW'] }, '$$NOW'] }
  const granted = { $or: [isOver, { $and: [{ $lt: ['$count', limit] }, { $lt: [{ $ifNull: ['$right', 0] }, maxSuccessfulLogins] }] }] }
  const counted = await attempts.findOneAndUpdate(
    { _id },
    [
      {
        $set: {
          granted,
          count: { $cond: [isOver, 1, { $min: [{ $add: ['$count', 1] }, limit] }] },
          right: { $cond: [isOver, 0, '$right'] },
          expires_at: { $cond: [isOver, { $add: ['$$NOW', window] }, '$expires_at'] }
        }
      }
    ],
    { upsert: true, returnDocument: 'after' }
  )
  return counted as AttemptsDocument
}

/** Takes back an attempt. Adds `successes` to the successes of the first bucket. */
const decrement = async (attempts: Collection<AttemptsDocument>, counts: AttemptsDocument[], successes = 0) => {
  // With `expires_at` in the filter, a window that has begun since is left alone.
  await attempts.bulkWrite(
    counts.map(({ _id, expires_at }, i) => ({
      updateOne: { filter: { _id, expires_at, count: { $gt: 0 } }, update: { $inc: { count: -1, ...(i === 0 && { right: successes }) } } }
    })),
    { ordered: false }
  )
}

/** Counts failed logins in windows of time. In the database, so that all processes share the counts. */
export const loginAttemptsOf = (db: Db, limit: number) => {
  const attempts = db.collection<AttemptsDocument>('login_attempts')
  return {
    /** Seconds until the caller may try again, or undefined below all limits. One read and no write. */
    retryAfter: async (email: string, address: string) => {
      if (limit === 0) return undefined
      const buckets = bucketsOf(email, address, limit)
      const reached = await findInOneBatch(db, attempts, {
        _id: { $in: buckets.map(({ _id }) => _id) },
        $expr: { $gt: ['$expires_at', '$$NOW'] },
        $or: [{ right: { $gte: maxSuccessfulLogins } }, ...buckets.map(bucket => ({ _id: bucket._id, count: { $gte: bucket.limit } }))]
      })
      return reached.length > 0 ? secondsUntilEnd(reached) : undefined
    },

    /** Those for the e-mail together with an address cannot be found by the e-mail. They expire with their window. */
    forget: (email: string) => attempts.deleteOne({ _id: key('email', emailKey(email)) }),

    begin: async (email: string, address: string): Promise<Attempt> => {
      if (limit === 0) return uncounted
      const [narrow, ...wide] = bucketsOf(email, address, limit)
      // The narrow bucket goes first: an attempt that it refuses must not use up the limits of an e-mail or address that others share.
      const first = await increment(attempts, narrow)
      if (!first.granted) return refused([first])
      const counts = [first, ...(await Promise.all(wide.map(bucket => increment(attempts, bucket))))]
      const granted = counts.filter(count => count.granted)
      if (granted.length === counts.length) {
        return { retryAfter: undefined, forgive: () => decrement(attempts, counts), succeed: () => decrement(attempts, counts, 1) }
      }
      await decrement(attempts, granted)
      return refused(counts.filter(count => !count.granted))
    }
  }
}

const secondsUntilEnd = (counts: AttemptsDocument[]) =>
  (Math.max(...counts.map(({ expires_at }) => expires_at.getTime())) - Date.now()) / 1000

const refused = (counts: AttemptsDocument[]): Attempt => ({ ...uncounted, retryAfter: secondsUntilEnd(counts) })
