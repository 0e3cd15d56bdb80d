import type { Db } from 'mongodb'
import {
  type Attempt,
  type AttemptsDocument,
  bucketKey,
  decrement,
  increment,
  refused,
  secondsUntilEnd,
  uncounted
} from './attempt-windows.js'

/** How many codes one address gets in a window. Each stays in the database for minutes, so this bounds what an address can store. */
export const codesPerAddress = 1000

/** All users together may send this many times as many wrong codes as one. */
export const sharedFactor = 1000
export const sharedBucket = bucketKey('codes of all')

/** Counts the user codes of devices in the windows of failed logins, with the same limit. */
export const codeAttemptsOf = (db: Db, limit: number) => {
  const attempts = db.collection<AttemptsDocument>('login_attempts')
  return {
    /** Seconds until the address gets another code, or undefined if it gets one now. */
    issue: async (address: string) => {
      const counted = await increment(attempts, { _id: bucketKey('codes issued', address), limit: codesPerAddress })
      return counted.granted ? undefined : secondsUntilEnd([counted])
    },

    /**
     * Counts a code that a user has typed. Above the limit for all users together, each still has the first attempt of a window:
     * otherwise guessers would lock out everybody.
     */
    guess: async (user_id: number, address: string): Promise<Omit<Attempt, 'forgive'>> => {
      if (limit === 0) return uncounted
      const own = await increment(attempts, { _id: bucketKey('codes of user', String(user_id)), limit })
      if (!own.granted) return refused([own])
      const local = await increment(attempts, { _id: bucketKey('codes of address', address), limit: limit * 10 })
      if (!local.granted) {
        await decrement(attempts, [own])
        return refused([local])
      }
      const shared = await increment(attempts, { _id: sharedBucket, limit: limit * sharedFactor })
      const counts = shared.granted ? [own, local, shared] : [own, local]
      if (shared.granted || own.count === 1) return { retryAfter: undefined, succeed: () => decrement(attempts, counts) }
      await decrement(attempts, counts)
      return refused([shared])
    }
  }
}
