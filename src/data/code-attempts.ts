import type { Db } from 'mongodb'
import {
  type Attempt,
  type AttemptsDocument,
  bucketKey,
  decrement,
  increment,
  refused,
  secondsUntilEnd,
  takeInTurn,
  uncounted
} from './attempt-windows.js'

/** How many codes one address gets in a window. Each stays in the database for minutes, so this bounds what an address can store. */
export const codesPerAddress = 1000

/** The limit for all users together, as a multiple of the limit for one. */
const sharedFactor = 1000
export const sharedBucket = bucketKey('codes of all')

/** Counts the user codes of devices. The windows are as long as those of logins, and the limit is the same, but the counts are separate. */
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
      const own = { _id: bucketKey('codes of user', String(user_id)), limit }
      const local = { _id: bucketKey('codes of address', address), limit: limit * 10 }
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
