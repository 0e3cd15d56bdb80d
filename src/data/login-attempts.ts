import type { Db, IndexDescription } from 'mongodb'
import { maxSuccessfulLogins } from '../identity/login-limits.js'
import {
  type Attempt,
  type AttemptsDocument,
  type Bucket,
  bucketKey,
  decrement,
  refused,
  secondsUntilEnd,
  takeInTurn,
  uncounted
} from './attempt-windows.js'
import { findInOneBatch } from './driver/one-batch.js'
import { emailKey } from './users.js'

export const loginAttemptIndexes: IndexDescription[] = [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }]

/**
 * The three limits of attempts, which count until they succeed, the narrowest first. The narrowest also limits successful logins.
 * `account` names whose password or PIN is tried: it is the key of an e-mail, or `PIN` and the id of a profile.
 */
const bucketsOf = (account: string, address: string, limit: number): [Bucket, ...Bucket[]] => [
  { _id: bucketKey('both', account, address), limit },
  { _id: bucketKey('email', account), limit: limit * 10 },
  { _id: bucketKey('address', address), limit: limit * 10 }
]

/** Counts attempts with a password or PIN in windows of time. In the database, so that all processes share the counts. */
export const loginAttemptsOf = (db: Db, limit: number) => {
  const attempts = db.collection<AttemptsDocument>('login_attempts')
  return {
    /** Seconds until the caller may try again, or undefined below all limits. One read and no write. */
    retryAfter: async (account: string, address: string) => {
      if (limit === 0) return undefined
      const buckets = bucketsOf(account, address, limit)
      const reached = await findInOneBatch(db, attempts, {
        _id: { $in: buckets.map(({ _id }) => _id) },
        $expr: { $gt: ['$expires_at', '$$NOW'] },
        $or: [{ right: { $gte: maxSuccessfulLogins } }, ...buckets.map(bucket => ({ _id: bucket._id, count: { $gte: bucket.limit } }))]
      })
      return reached.length > 0 ? secondsUntilEnd(reached) : undefined
    },

    /** Forgets the count of an e-mail. Its counts by address cannot be found by the e-mail, and expire with their window. */
    forget: (email: string) => attempts.deleteOne({ _id: bucketKey('email', emailKey(email)) }),

    begin: async (account: string, address: string): Promise<Attempt> => {
      if (limit === 0) return uncounted
      const [narrow, ...wide] = bucketsOf(account, address, limit)
      const { granted, refusing } = await takeInTurn(attempts, [[narrow], wide])
      if (refusing.length > 0) return refused(refusing)
      return { retryAfter: undefined, forgive: () => decrement(attempts, granted), succeed: () => decrement(attempts, granted, 1) }
    }
  }
}
