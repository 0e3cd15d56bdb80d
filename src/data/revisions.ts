import type { Db } from 'mongodb'
import { type CatalogueKind, patience } from './catalogue.js'

interface RevisionDocument {
  _id: CatalogueKind
  revision: number
}

/** How often each kind of the catalogue has changed: what tells other processes to read it again. */
export const revisionsOf = (db: Db) => {
  const revisions = db.collection<RevisionDocument>('revisions')
  return {
    read: async () => new Map((await revisions.find({}, patience).toArray()).map(({ _id, revision }) => [_id, revision])),
    /** To be called when the database has acknowledged a change. */
    raise: (kind: CatalogueKind) => revisions.updateOne({ _id: kind }, { $inc: { revision: 1 } }, { upsert: true })
  }
}
