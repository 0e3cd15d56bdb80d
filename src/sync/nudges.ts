import type { Collection, Db, Document, IndexDescription } from 'mongodb'
import { withRetries } from '../database/retry.js'
import { seconds } from '../time.js'

/** Tells other processes that the lists of some users may have changed. */
export interface Nudge {
  /** The process that sends it. */
  from: string
  /** Counts the nudges of the process from 0, so that a missing one is noticed. */
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

/** A nudge becomes visible after its date, so each read goes back a little further than the last one got. */
const overlap = seconds(1)

export const nudgesOf = (db: Db) => {
  const nudges: Collection<NudgeDocument> = db.collection('nudges')
  return {
    /** Sending one again changes nothing. */
    send: ({ from, seq, users, isLast }: Nudge) => {
      const fields = { from, seq, users: { $literal: users }, isLast, at: { $ifNull: ['$at', '$$NOW'] } }
      return withRetries(() => nudges.updateOne({ _id: `${from} ${seq}` }, [{ $set: fields }], { upsert: true }))
    },

    /** Those since the date, which is that of the newest one that was read, or those of the last `milliseconds`. The oldest comes first. */
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
