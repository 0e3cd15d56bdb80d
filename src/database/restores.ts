import type { AnyBulkWriteOperation, Db, Document } from 'mongodb'
import { catalogueKinds } from '../catalogue/kinds.js'
import { forgetWebhooks } from '../webhooks/index.js'
import { type CounterDocument, countedCollections } from './counters.js'
import { withRetries } from './retry.js'
import type { RevisionDocument } from './revisions.js'

interface RestoreDocument {
  _id: 'last'
  at: Date
}

interface Kept {
  _id: number | string
}

/** What a restore must not undo: who was erased, what keeps someone out of an account, and the audit log. */
const kept = {
  erasures: { filter: {}, projection: {} },
  users: {
    filter: { $or: [{ disabled_at: { $gt: new Date(0) } }, { password_changed_at: { $gt: new Date(0) } }] },
    projection: { disabled_at: 1, password_hash: 1, password_changed_at: 1 }
  },
  audit: { filter: {}, projection: {} }
}
type KeptCollection = keyof typeof kept

/** The fields of a document as they were before a restore. */
export interface RestoreNote {
  collection: KeptCollection
  _id: number | string
  fields: Document
}

/** More than the number of ids that can have been assigned, or changes that can have been made, since a backup. */
const skipped = 1e9

/** Keeps what must not be lost when a backup is restored. */
export const restoresOf = (db: Db) => {
  const restores = db.collection<RestoreDocument>('restores')

  /** Makes processes that were not stopped reread the whole catalogue, all refused users and all changed age limits. */
  const tellProcesses = async () => {
    const revisions = db.collection<RevisionDocument>('revisions')
    // A process rereads everything when a revision of the catalogue decreases.
    await revisions.deleteMany({ _id: { $in: [...catalogueKinds] } })
    for (const _id of ['disabled_users', 'erasures', 'limits'] as const)
      await revisions.updateOne({ _id }, { $inc: { revision: skipped } }, { upsert: true })
  }

  return {
    /** When the last restore was finished, in milliseconds. 0 if there was none. */
    lastAt: async () => (await restores.findOne({ _id: 'last' }))?.at.getTime() ?? 0,

    /** The notes to save before a backup is restored. `apply` writes them back. */
    notes: async function* (): AsyncGenerator<RestoreNote> {
      for (const [collection, { filter, projection }] of Object.entries(kept))
        for await (const { _id, ...fields } of db.collection<Kept>(collection).find(filter, { projection }))
          yield { collection: collection as KeptCollection, _id, fields }
    },

    /** Writes notes into the restored database, for the users that it has. */
    apply: async (notes: RestoreNote[]) => {
      for (const name of Object.keys(kept) as KeptCollection[]) {
        const writes = notes
          .filter(({ collection }) => collection === name)
          .map(({ _id, fields }): AnyBulkWriteOperation<Kept> => {
            // A user who is not in the backup is not recreated, but the note of their erasure is needed to refuse their tokens.
            return { updateOne: { filter: { _id }, update: { $set: fields }, upsert: name !== 'users' } }
          })
        if (writes.length > 0) await withRetries(() => db.collection<Kept>(name).bulkWrite(writes))
      }
    },

    /** Idempotent. No process should serve requests before it. */
    finish: async () => {
      // Some of these have ended since the backup, but it is unknown which. Dropping the collections would also drop their indexes.
      for (const name of ['sessions', 'device_codes']) await db.collection(name).deleteMany({})
      for (const _id of countedCollections)
        await db.collection<CounterDocument>('counters').updateOne({ _id }, { $inc: { last: skipped } }, { upsert: true })
      // The service then removes the data of erased users that the backup has restored.
      await db.collection('erasures').updateMany({}, [{ $set: { sweep_at: '$$NOW', sweeps: 0 } }])
      await forgetWebhooks(db)
      await tellProcesses()
      await restores.updateOne({ _id: 'last' }, [{ $set: { at: '$$NOW' } }], { upsert: true })
    }
  }
}
