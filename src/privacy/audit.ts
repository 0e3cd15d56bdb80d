import { randomUUID } from 'node:crypto'
import type { Db, IndexDescription } from 'mongodb'
import { withRetries } from '../database/retry.js'
import { days } from '../time.js'

/** A privileged action. Users are named only by id. */
export interface AuditDocument {
  _id: string
  at: Date
  /** As the command is typed, for example `user disable`. */
  action: string
  /** Who ran the command and where, or the address that sent the `IMPORT_KEY`. */
  actor: string
  /** The id of the user, or the name of the file. Null if there is none. */
  subject: number | string | null
  outcome: 'done' | 'failed' | 'refused'
  /** How many wrong keys the address has sent in this minute. */
  attempts?: number
  expires_at: Date
}

type Act = Pick<AuditDocument, 'action' | 'subject'>
/** How the work ended. */
export type End = Pick<AuditDocument, 'outcome'> & Partial<Act>

export const auditIndexes: IndexDescription[] = [{ key: { at: 1 } }, { key: { expires_at: 1 }, expireAfterSeconds: 0 }]

/** The request cannot be carried out, and nothing was changed. */
export class Refusal extends Error {}

export const auditOf = (db: Db, keptDays: number) => {
  const audit = db.collection<AuditDocument>('audit')

  return {
    /**
     * Does the work and records it. The record is written first, with the outcome `failed`, so that nothing is done without a record, and
     * work that is killed counts as failed. The work may change the outcome, which is `done` unless it throws.
     */
    during: async <T>(actor: string, acts: Act[], work: (end: End, ids: string[]) => Promise<T>): Promise<T> => {
      const records = acts.map(act => ({ _id: randomUUID(), ...act, actor, outcome: 'failed' }))
      const times = { at: '$$NOW', expires_at: { $add: ['$$NOW', days(keptDays)] } }
      const upserts = records.map(record => ({
        updateOne: {
          filter: { _id: record._id },
          update: [{ $replaceWith: { $mergeObjects: [{ $literal: record }, times] } }],
          upsert: true
        }
      }))
      await withRetries(() => audit.bulkWrite(upserts))
      const ids = records.map(({ _id }) => _id)
      const finish = (end: End) =>
        withRetries(() => audit.bulkWrite([{ updateMany: { filter: { _id: { $in: ids } }, update: { $set: end } } }]))
      const end: End = { outcome: 'done' }
      try {
        const result = await work(end, ids)
        await finish(end)
        return result
      } catch (error) {
        if (error instanceof Refusal) await finish({ outcome: 'refused' }).catch(() => undefined)
        throw error
      }
    },

    /** Adds wrong keys to the count of the same minute, which all processes share. The key of the map is the minute and the address. */
    addWrongKeys: (counts: Map<string, number>) =>
      audit.bulkWrite(
        Array.from(counts, ([_id, attempts]) => {
          const [minute, actor] = _id.split(' ') as [string, string]
          const at = new Date(minute)
          const expires_at = new Date(at.getTime() + days(keptDays))
          const record = { at, action: 'import', actor, subject: null, outcome: 'refused' as const, expires_at }
          return { updateOne: { filter: { _id }, update: { $inc: { attempts }, $setOnInsert: record }, upsert: true } }
        }),
        { ordered: false }
      ),

    /** Oldest first. */
    since: (at: Date) => audit.find({ at: { $gte: at } }).sort({ at: 1 })
  }
}
