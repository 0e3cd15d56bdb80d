import { CursorTimeoutMode, type Db } from 'mongodb'
import { seconds } from '../time.js'

/** What an import stores with each catalogue document. */
export interface Imported {
  /** A hash of the imported fields, so that an unchanged record is not written again. */
  digest: string
  /** When it was written, by the database's clock. */
  stamp: Date
}

/** A majority read returns nothing that a change of primary could roll back. The timeout applies to each batch. */
export const catalogueRead = {
  readConcern: 'majority',
  timeoutMS: seconds(2),
  timeoutMode: CursorTimeoutMode.ITERATION
} as const

/** The collections of the catalogue. Each has its own revision. */
export const catalogueKinds = ['contents', 'terms', 'rail_collections', 'legal_documents', 'programmes', 'support_texts'] as const
export type CatalogueKind = (typeof catalogueKinds)[number]

export type RevisionKind = CatalogueKind | 'disabled_users' | 'erasures' | 'limits'

export interface RevisionDocument {
  _id: RevisionKind
  revision: number
}

/** Numbers that processes poll to see what to reload. */
export const revisionsOf = (db: Db) => {
  const revisions = db.collection<RevisionDocument>('revisions')
  return {
    read: async () => new Map((await revisions.find({}, catalogueRead).toArray()).map(({ _id, revision }) => [_id, revision])),
    /** Call it after the database has acknowledged the change. */
    raise: (kind: RevisionKind) => revisions.updateOne({ _id: kind }, { $inc: { revision: 1 } }, { upsert: true })
  }
}
