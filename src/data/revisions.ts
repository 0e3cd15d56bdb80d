import type { Db } from 'mongodb'
import { type CatalogueKind, settled } from './catalogue.js'

type RevisionKind = CatalogueKind | 'disabled_users'

interface RevisionDocument {
  _id: RevisionKind
  revision: number
}

/** How often each kind of the catalogue, and who is disabled, has changed: what tells other processes to read it again. */
export const revisionsOf = (db: Db) => {
  const revisions = db.collection<RevisionDocument>('revisions')
  return {
    read: async () => new Map((await revisions.find({}, settled).toArray()).map(({ _id, revision }) => [_id, revision])),
    of: async (kind: RevisionKind) => (await revisions.findOne({ _id: kind }, { timeoutMS: settled.timeoutMS }))?.revision ?? 0,
    /** To be called when the database has acknowledged a change. */
    raise: (kind: RevisionKind) => revisions.updateOne({ _id: kind }, { $inc: { revision: 1 } }, { upsert: true })
  }
}
