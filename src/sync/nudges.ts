import type { Collection, Db, Document, IndexDescription } from 'mongodb'
import { withRetries } from '../database/retry.js'
import { seconds } from '../time.js'

/** Tells other processes that the lists of some users may have changed. */
export interface Nudge {
  /** The process that sends it. */
  from: string
  /** Sequence number, from 0, so that a missing nudge is noticed. */
  seq: number
  users: number[]
  /** Whether it is the last one of the process. */
  isLast: boolean
}
interface NudgeDocument extends Nudge {
  _id: string
  at: Date
}

export const nudgeIndexes: IndexDescription[] = [{ key: { at: 1 }, expireAfterSeconds: 60 }]

/** A nudge becomes visible after its date, so each read overlaps the last one. */
const overlap = seconds(1)

export const nudgesOf = (db: Db) => {
  const nudges: Collection<NudgeDocument> = db.collection('nudges')
  return {
    /** Idempotent. */
    send: ({ from, seq, users, isLast }: Nudge) => {
      const fields = { from, seq, users: { $literal: users }, isLast, at: { $ifNull: ['$at', '$$NOW'] } }
      return withRetries(() => nudges.updateOne({ _id: `${from} ${seq}` }, [{ $set: fields }], { upsert: true }))
    },

    /** Nudges since a date, that of the newest one read, or of the last milliseconds. Oldest first. */
    since: (last: Date | number) => {
      const filter: Document =
        typeof last === 'number'
          ? { $expr: { $gte: ['$at', { $subtract: ['$$NOW', last] }] } }
          : { at: { $gte: new Date(last.getTime() - overlap) } }
      const all = { projection: { _id: 0 }, sort: { at: 1, seq: 1 }, batchSize: 100_000 } as const
      return nudges.find<Nudge & Pick<NudgeDocument, 'at'>>(filter, all).toArray()
    }
  }
}
