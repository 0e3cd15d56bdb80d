import { createHash } from 'node:crypto'
import type { Db, IndexDescription } from 'mongodb'
import { minutes } from '../time.js'
import { findAtOnce } from './driver/at-once.js'
import { emailKey } from './users.js'

interface AttemptsDocument {
  _id: string
  count: number
  /** Of one e-mail from one address: how many of its attempts were right. */
  right?: number
  /** Whether the last attempt that asked was let through. */
  granted: boolean
  expires_at: Date
}

export const loginAttemptIndexes: IndexDescription[] = [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }]

const window = minutes(15)

/** Hashed, so that what people typed into the e-mail field is not kept. */
const key = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('base64url')

/** Right passwords for one e-mail from one address in a window: enough for everybody who means well. */
const mostRight = 1000

export interface Attempt {
  /** Seconds until another one may be made; undefined where this one may. */
  retryAfter: number | undefined
  /** Takes the attempt back: nothing was decided. */
  forgive: () => Promise<void>
  /** Takes the attempt back: the password was right. */
  succeed: () => Promise<void>
}

/** What was not counted has nothing to take back. */
const nothing = async () => {}
const uncounted: Attempt = { retryAfter: undefined, forgive: nothing, succeed: nothing }

/** Counts the failed logins of a quarter of an hour. They are in the database, so that all processes share them. */
export const loginAttemptsOf = (db: Db, limit: number) => {
  const attempts = db.collection<AttemptsDocument>('login_attempts')

  /** From the narrowest to the widest, each with its limit. */
  const countsOf = (email: string, address: string) => {
    const mail = emailKey(email)
    return [
      { _id: key('both', mail, address), most: limit },
      { _id: key('email', mail), most: limit * 10 },
      { _id: key('address', address), most: limit * 10 }
    ] as const
  }

  const take = async ({ _id, most }: { _id: string; most: number }) => {
    const over = { $lte: [{ $ifNull: ['$expires_at', '$$NOW'] }, '$$NOW'] }
    const granted = { $or: [over, { $and: [{ $lt: ['$count', most] }, { $lt: [{ $ifNull: ['$right', 0] }, mostRight] }] }] }
    const counted = await attempts.findOneAndUpdate(
      { _id },
      [
        {
          $set: {
            granted,
            count: { $cond: [over, 1, { $min: [{ $add: ['$count', 1] }, most] }] },
            right: { $cond: [over, 0, '$right'] },
            expires_at: { $cond: [over, { $add: ['$$NOW', window] }, '$expires_at'] }
          }
        }
      ],
      { upsert: true, returnDocument: 'after' }
    )
    return counted as AttemptsDocument
  }

  const giveBack = async (taken: AttemptsDocument[], right = 0) => {
    // The moment of expiry is part of the filter: a window that began since owes nothing.
    await attempts.bulkWrite(
      taken.map(({ _id, expires_at }, i) => ({
        updateOne: { filter: { _id, expires_at, count: { $gt: 0 } }, update: { $inc: { count: -1, ...(i === 0 && { right }) } } }
      })),
      { ordered: false }
    )
  }

  return {
    /** Seconds until the caller may try again, where a limit is reached already. Asks once and writes nothing. */
    retryAfter: async (email: string, address: string) => {
      if (limit === 0) return undefined
      const counts = countsOf(email, address)
      const reached = await findAtOnce(db, attempts, {
        _id: { $in: counts.map(({ _id }) => _id) },
        $expr: { $gt: ['$expires_at', '$$NOW'] },
        $or: [{ right: { $gte: mostRight } }, ...counts.map(({ _id, most }) => ({ _id, count: { $gte: most } }))]
      })
      return reached.length > 0 ? secondsUntilEnd(reached) : undefined
    },

    begin: async (email: string, address: string): Promise<Attempt> => {
      if (limit === 0) return uncounted
      const [narrow, ...wide] = countsOf(email, address)
      // One after the other: what the narrow count refuses is no failed login, and must not fill the counts of an e-mail or an address for others.
      const first = await take(narrow)
      if (!first.granted) return refused([first])
      const counts = [first, ...(await Promise.all(wide.map(take)))]
      const taken = counts.filter(({ granted }) => granted)
      if (taken.length === counts.length)
        return { retryAfter: undefined, forgive: () => giveBack(taken), succeed: () => giveBack(taken, 1) }
      await giveBack(taken)
      return refused(counts.filter(({ granted }) => !granted))
    }
  }
}

const secondsUntilEnd = (counts: AttemptsDocument[]) =>
  (Math.max(...counts.map(({ expires_at }) => expires_at.getTime())) - Date.now()) / 1000

const refused = (counts: AttemptsDocument[]): Attempt => ({ ...uncounted, retryAfter: secondsUntilEnd(counts) })
