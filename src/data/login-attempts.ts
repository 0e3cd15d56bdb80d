import { createHash } from 'node:crypto'
import type { Db, IndexDescription } from 'mongodb'
import { minutes } from '../time.js'
import { emailKey } from './users.js'

interface AttemptsDocument {
  _id: string
  count: number
  /** Whether the last attempt that asked was let through. */
  granted: boolean
  expires_at: Date
}

export const loginAttemptIndexes: IndexDescription[] = [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }]

const window = minutes(15)

/** Hashed, so that what people typed into the e-mail field is not kept. */
const key = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('base64url')

export interface Attempt {
  /** Seconds until another one may be made; undefined where this one may. */
  retryAfter: number | undefined
  /** Takes the attempt back: it did not fail. */
  forgive: () => Promise<void>
}

/** What was not counted has nothing to take back. */
const nothing = async () => {}

/** Counts the failed logins of a quarter of an hour. They are in the database, so that all processes share them. */
export const loginAttemptsOf = (db: Db, limit: number) => {
  const attempts = db.collection<AttemptsDocument>('login_attempts')

  const take = async (_id: string, most: number) => {
    const over = { $lte: [{ $ifNull: ['$expires_at', '$$NOW'] }, '$$NOW'] }
    const granted = { $or: [over, { $lt: ['$count', most] }] }
    const counted = await attempts.findOneAndUpdate(
      { _id },
      [
        {
          $set: {
            granted,
            count: { $cond: [over, 1, { $min: [{ $add: ['$count', 1] }, most] }] },
            expires_at: { $cond: [over, { $add: ['$$NOW', window] }, '$expires_at'] }
          }
        }
      ],
      { upsert: true, returnDocument: 'after' }
    )
    return counted as AttemptsDocument
  }

  const giveBack = async (taken: AttemptsDocument[]) => {
    // The moment of expiry is part of the filter: a window that began since owes nothing.
    await attempts.bulkWrite(
      taken.map(({ _id, expires_at }) => ({
        updateOne: { filter: { _id, expires_at, count: { $gt: 0 } }, update: { $inc: { count: -1 } } }
      })),
      { ordered: false }
    )
  }

  return {
    begin: async (email: string, address: string): Promise<Attempt> => {
      if (limit === 0) return { retryAfter: undefined, forgive: nothing }
      const mail = emailKey(email)
      // One after the other: what the narrow count refuses is no failed login, and must not fill the counts of an e-mail or an address for others.
      const both = await take(key('both', mail, address), limit)
      if (!both.granted) return refused([both])
      const wide = await Promise.all([take(key('email', mail), limit * 10), take(key('address', address), limit * 10)])
      const counts = [both, ...wide]
      const taken = counts.filter(({ granted }) => granted)
      if (taken.length === counts.length) return { retryAfter: undefined, forgive: () => giveBack(taken) }
      await giveBack(taken)
      return refused(wide.filter(({ granted }) => !granted))
    }
  }
}

const refused = (counts: AttemptsDocument[]): Attempt => {
  const until = Math.max(...counts.map(({ expires_at }) => expires_at.getTime()))
  return { retryAfter: (until - Date.now()) / 1000, forgive: nothing }
}
