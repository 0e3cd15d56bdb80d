import { hash } from 'node:crypto'
import type { Collection, Db, IndexDescription } from 'mongodb'
import { findAll } from '../database/read-all.js'
import { minutes } from '../time.js'
import { emailKey } from './users.js'

/** The window in which logins, PINs and device codes are counted. */
export const loginWindowMinutes = 15

/** Successful logins for one e-mail or PIN from one address in a window. No honest user needs more. */
export const maxSuccessfulLogins = 1000

/** The limit of a whole address or account, as a multiple of the limit for both together. */
const widerBy = 10

interface AttemptsDocument {
  _id: string
  count: number
  /** How many attempts succeeded. Only counted for an e-mail or PIN together with an address. */
  right?: number
  /** Whether the latest attempt was allowed. */
  granted: boolean
  expires_at: Date
}

const window = minutes(loginWindowMinutes)

/** Hashed, because people may type anything into the e-mail field. */
const bucketKey = (...parts: string[]) => hash('sha256', JSON.stringify(parts), 'base64url')

interface Bucket {
  _id: string
  limit: number
}

interface Attempt {
  /** Undefined if allowed, else the seconds to wait. */
  retryAfter: number | undefined
  /** Uncounts the attempt, because the password was not checked. */
  forgive: () => Promise<void>
  /** Uncounts the attempt, because the password or code was right. A right password counts as a successful login. */
  succeed: () => Promise<void>
}

const doNothing = async () => {}
const uncounted: Attempt = { retryAfter: undefined, forgive: doNothing, succeed: doNothing }

const secondsUntilEnd = (counts: AttemptsDocument[]) =>
  (Math.max(...counts.map(({ expires_at }) => expires_at.getTime())) - Date.now()) / 1000

const refused = (counts: AttemptsDocument[]): Attempt => ({ ...uncounted, retryAfter: secondsUntilEnd(counts) })

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
          right: { $cond: [isOver, '$$REMOVE', '$right'] },
          expires_at: { $cond: [isOver, { $add: ['$$NOW', window] }, '$expires_at'] }
        }
      }
    ],
    { upsert: true, returnDocument: 'after' }
  )
  return counted as AttemptsDocument
}

/** Uncounts an attempt. Adds `successes` to the `right` of the first bucket. */
const decrement = async (attempts: Collection<AttemptsDocument>, counts: AttemptsDocument[], successes = 0) => {
  // With `expires_at` in the filter, a window that has begun since is not changed.
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

/** Counts an attempt in groups of buckets, the narrowest first. A refusal by a narrow bucket must not charge the shared ones. */
const takeInTurn = async (attempts: Collection<AttemptsDocument>, groups: Bucket[][]) => {
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

export const loginAttemptIndexes: IndexDescription[] = [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }]

/** The narrowest first. `account` is the key of an e-mail, or `PIN` and the id of a profile. */
const bucketsOf = (account: string, address: string, limit: number): [Bucket, ...Bucket[]] => [
  { _id: bucketKey('both', account, address), limit },
  { _id: bucketKey('email', account), limit: limit * widerBy },
  { _id: bucketKey('address', address), limit: limit * widerBy }
]

/** Counts attempts with a password or PIN in windows of time. In the database, so that all processes share the counts. */
export const loginAttemptsOf = (db: Db, limit: number) => {
  const attempts = db.collection<AttemptsDocument>('login_attempts')
  return {
    /** Seconds until the caller may try again, or undefined below all limits. Takes one read and no write. */
    retryAfter: async (account: string, address: string) => {
      if (limit === 0) return undefined
      const buckets = bucketsOf(account, address, limit)
      const reached = await findAll(db, attempts, {
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

/** How many codes one address gets in a window. Each stays in the database for minutes, so this bounds what an address can store. */
export const codesPerAddress = 1000

/** The limit of all users together, as a multiple of that of one user. */
const sharedFactor = 1000
export const sharedBucket = bucketKey('codes of all')

/** Counts attempts with the user codes of devices. Windows and limit are those of logins, but the counts are separate. */
export const codeAttemptsOf = (db: Db, limit: number) => {
  const attempts = db.collection<AttemptsDocument>('login_attempts')
  return {
    /** Seconds until the address gets another code, or undefined if it gets one now. */
    issue: async (address: string) => {
      const counted = await increment(attempts, { _id: bucketKey('codes issued', address), limit: codesPerAddress })
      return counted.granted ? undefined : secondsUntilEnd([counted])
    },

    /** Above the limit of all users together, each still has one attempt per window, because otherwise guessers could lock out everyone. */
    guess: async (user_id: number, address: string): Promise<Omit<Attempt, 'forgive'>> => {
      if (limit === 0) return uncounted
      const own = { _id: bucketKey('codes of user', String(user_id)), limit }
      const local = { _id: bucketKey('codes of address', address), limit: limit * widerBy }
      const { granted, refusing } = await takeInTurn(attempts, [[own], [local]])
      if (refusing.length > 0) return refused(refusing)
      const shared = await increment(attempts, { _id: sharedBucket, limit: limit * sharedFactor })
      const isFirst = granted[0]?.count === 1
      if (!shared.granted && !isFirst) {
        await decrement(attempts, granted)
        return refused([shared])
      }
      const counts = shared.granted ? [...granted, shared] : granted
      return { retryAfter: undefined, succeed: () => decrement(attempts, counts) }
    }
  }
}
