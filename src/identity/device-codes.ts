import type { Db, IndexDescription } from 'mongodb'
import { pollStep } from '../../schemas/device.js'
import { withRetries } from '../database/retry.js'
import { minutes, seconds } from '../time.js'

export const codeLife = minutes(10)

export type Decision = 'approved' | 'access_denied'
type DeviceAnswer = Decision | 'authorization_pending' | 'slow_down' | 'expired_token'

/** A device waiting for a user. Both codes are stored as hashes. All times are by the clock of the database. */
interface DeviceCodeDocument extends Partial<Decider> {
  /** The hash of the code that the device keeps. */
  _id: string
  /** The hash of the code that people type. */
  user_code: string
  device: string | null
  /** Seconds that the device has to wait between two polls. */
  interval: number
  asked_at?: Date
  /** Identifies the last poll, so that a retry after a lost response gets the same answer. */
  question?: string
  answer?: DeviceAnswer
  decision?: Decision
  created_at: Date
  expires_at: Date
}
/** The user and session that decided, and the epoch of the account at that time. */
interface Decider {
  account_id: number
  /** The profile that the device is signed in as. */
  user_id: number
  sid: string
  epoch: number
}
export type ApprovedDevice = DeviceCodeDocument & Decider

export const deviceCodeIndexes: IndexDescription[] = [
  { key: { user_code: 1 }, unique: true },
  { key: { account_id: 1 }, partialFilterExpression: { account_id: { $gt: 0 } } },
  { key: { expires_at: 1 }, expireAfterSeconds: 0 }
]

// MongoDB deletes expired documents only once a minute.
const isLiving = { $expr: { $gt: ['$expires_at', '$$NOW'] } }

const isUndecided = { decision: { $exists: false } }

const isEarly = { $lt: ['$$NOW', { $add: ['$asked_at', { $multiply: ['$interval', seconds(1)] }] }] }
// A code is used up once its device has learned of the approval.
const isUsed = { $in: ['$answer', ['approved', 'expired_token']] }
const undecided = 'authorization_pending'
const answer = { $cond: [isUsed, 'expired_token', { $cond: [isEarly, 'slow_down', { $ifNull: ['$decision', undecided] }] }] }

export const deviceCodesOf = (db: Db) => {
  const codes = db.collection<DeviceCodeDocument>('device_codes')
  return {
    /** `make` makes two codes. It is called again if the user code is already taken. */
    add: <Codes extends { deviceHash: string; userHash: string }>(device: string | null, make: () => Codes) =>
      withRetries(async () => {
        const made = make()
        await codes.updateOne(
          { _id: made.deviceHash },
          [
            {
              $set: {
                user_code: made.userHash,
                device: { $literal: device },
                interval: pollStep,
                created_at: '$$NOW',
                expires_at: { $add: ['$$NOW', codeLife] }
              }
            }
          ],
          { upsert: true }
        )
        return made
      }),

    /** Answers a device's poll in one update, so that only one of several concurrent polls learns of the approval. */
    ask: (deviceHash: string, question: string) =>
      withRetries(async () => {
        const change = {
          question,
          answer,
          asked_at: '$$NOW',
          interval: { $add: ['$interval', { $cond: [isEarly, pollStep, 0] }] }
        }
        const asked = await codes.findOneAndUpdate({ _id: deviceHash, question: { $ne: question }, ...isLiving }, [{ $set: change }], {
          returnDocument: 'after'
        })
        return asked ?? (await codes.findOne({ _id: deviceHash, question }))
      }),

    find: (userHash: string) => codes.findOne({ user_code: userHash, ...isUndecided, ...isLiving }),

    /** False if there is nothing to decide. The same user may repeat a decision, as after a lost response. */
    decide: async (userHash: string, { account_id, user_id, sid, epoch }: Decider, decision: Decision) => {
      const { matchedCount } = await withRetries(() =>
        codes.updateOne(
          { user_code: userHash, $or: [isUndecided, { decision, account_id, user_id }], ...isLiving },
          { $set: { decision, account_id, user_id, sid, epoch } }
        )
      )
      return matchedCount === 1
    },

    /** Removes the decisions of the user, or of one of their sessions. Later ones are refused because of their epoch or session. */
    revoke: (account_id: number, sid?: string) => withRetries(() => codes.deleteMany({ account_id, ...(sid !== undefined && { sid }) }))
  }
}
