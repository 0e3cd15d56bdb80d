import { hash } from 'node:crypto'
import type { Db, IndexDescription } from 'mongodb'
import { type Eventful, eventOf } from '../database/events.js'
import { withRetries } from '../database/retry.js'
import { revisionsOf } from '../database/revisions.js'
import { accessTokensEndIn } from '../identity/session-ends.js'
import { days, seconds } from '../time.js'

/** Records that a user was erased. The counter never assigns the id again, but an import may use it once this record has expired. */
interface ErasureDocument extends Eventful {
  /** The id of the user. */
  _id: number
  at: Date
  /** When to remove what was written meanwhile. Missing once no token of the user can be valid. */
  sweep_at?: Date
  sweeps?: number
  /** When the last access token of the user expires, as far as was known when the erasure began. Missing after the last sweep. */
  tokens_until?: Date
  /** Identifies a user of an identity provider, who may sign in again. */
  subject?: string
}

/** The user to be erased. */
interface Erased {
  iss?: string
  sub?: string
  account_id?: number
  /** Whether other systems are told. */
  isTold?: boolean
}

export const erasuresKeptDays = 90

export const erasureIndexes: IndexDescription[] = [
  { key: { at: 1 }, expireAfterSeconds: days(erasuresKeptDays) / seconds(1) },
  { key: { sweep_at: 1 }, sparse: true },
  { key: { subject: 1, at: 1 }, sparse: true }
]

/** A hash, because the record must recognize a person, but need not identify them. */
const subjectOf = (iss: string, sub: string) => hash('sha256', JSON.stringify([iss, sub]), 'base64url')

/** In milliseconds: when every process knows about the erasure, and when the requests in progress have ended. */
const firstSweep = seconds(3)
const secondSweep = seconds(30)
/** How long one process may take to sweep before another one does. */
const sweepTime = seconds(60)

export const erasuresOf = (db: Db) => {
  const erasures = db.collection<ErasureDocument>('erasures')
  const revisions = revisionsOf(db)
  const set = (_id: number, fields: object, filter = {}) =>
    withRetries(() => erasures.updateOne({ _id, ...filter }, [{ $set: { ...fields, event: '$$REMOVE' } }]))

  return {
    /** `account` has the sessions of the user. A second call may no longer find any, so it does not shorten `tokens_until`. */
    begin: async (_id: number, { iss, sub, account_id: account = _id, isTold = false }: Erased) => {
      const subject = iss !== undefined && sub !== undefined && { subject: subjectOf(iss, sub) }
      const tokens_until = { $max: ['$tokens_until', { $add: ['$$NOW', await accessTokensEndIn(db, account)] }] }
      const event = isTold ? eventOf(_id, account) : '$$REMOVE'
      const note = { ...subject, at: '$$NOW', sweep_at: { $add: ['$$NOW', firstSweep] }, sweeps: 0, tokens_until, event }
      await withRetries(() => erasures.updateOne({ _id }, [{ $set: note }], { upsert: true }))
      await withRetries(() => revisions.raise('erasures'))
    },

    /** The erased users whose tokens may still be valid, with the milliseconds until the next sweep of each. */
    toSweep: () =>
      erasures
        .aggregate<{ _id: number; sweepIn: number }>(
          [{ $match: { sweep_at: { $exists: true } } }, { $project: { sweepIn: { $subtract: ['$sweep_at', '$$NOW'] } } }],
          { hint: { sweep_at: 1 } }
        )
        .toArray(),

    /** Whether this process must sweep now. Of several processes that ask, only one must. */
    claimSweep: async (_id: number) => {
      const due = { $expr: { $lte: [{ $ifNull: ['$sweep_at', new Date(8.64e15)] }, '$$NOW'] } }
      return (await set(_id, { sweep_at: { $add: ['$$NOW', sweepTime] } }, due)).matchedCount === 1
    },

    /** Schedules the next sweep. `life` is that of a token of this process, in milliseconds. */
    endSweep: async (_id: number, life: number) => {
      const afterTokens = { $max: ['$tokens_until', { $add: ['$$NOW', life] }] }
      const last = { $cond: [{ $eq: ['$sweeps', 1] }, afterTokens, '$$REMOVE'] }
      const sweep_at = { $cond: [{ $eq: ['$sweeps', 0] }, { $add: ['$$NOW', secondSweep] }, last] }
      const tokens_until = { $cond: [{ $gt: ['$sweeps', 1] }, '$$REMOVE', '$tokens_until'] }
      await set(_id, { sweeps: { $add: ['$sweeps', 1] }, sweep_at, tokens_until })
      await withRetries(() => revisions.raise('erasures'))
    },

    /** When a user of an identity provider was last erased. */
    lastOf: async (iss: string, sub: string) =>
      (await erasures.findOne({ subject: subjectOf(iss, sub) }, { sort: { at: -1 }, projection: { at: 1 } }))?.at,

    among: async (ids: number[]) => {
      const found = await erasures.find({ _id: { $in: ids } }, { projection: { _id: 1 } }).toArray()
      return new Set(found.map(({ _id }) => _id))
    }
  }
}
