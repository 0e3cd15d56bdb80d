import type { Db } from 'mongodb'
import { type CatalogueKind, catalogueRead } from '../catalogue/kinds.js'

export type RevisionKind = CatalogueKind | 'disabled_users' | 'erasures' | 'limits'

export interface RevisionDocument {
  _id: RevisionKind
  revision: number
}

/** Numbers that processes poll to learn what to reload. */
export const revisionsOf = (db: Db) => {
  const revisions = db.collection<RevisionDocument>('revisions')
  return {
    read: async () => new Map((await revisions.find({}, catalogueRead).toArray()).map(({ _id, revision }) => [_id, revision])),
    /** Call it after the database has acknowledged the change. */
    raise: (kind: RevisionKind) => revisions.updateOne({ _id: kind }, { $inc: { revision: 1 } }, { upsert: true })
  }
}
