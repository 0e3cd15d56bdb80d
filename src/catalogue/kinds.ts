import type { Db, Document, Sort } from 'mongodb'
import { wireYears } from '../time.js'

/** What an import stores with each catalogue document. */
export interface Imported {
  /** A hash of the imported fields, so that an unchanged record is not written again. */
  digest: string
  /** When it was written, by the database's clock. */
  stamp: Date
}

/** A majority read returns nothing that a change of primary could roll back. */
export const catalogueRead = { readConcern: 'majority' } as const

/** The collections of the catalogue. Each has its own revision. */
export const catalogueKinds = ['people', 'contents', 'terms', 'rail_collections', 'legal_documents', 'programmes', 'support_texts'] as const
export type CatalogueKind = (typeof catalogueKinds)[number]

/** Reads the small collections, which are kept in memory as they are. Skips invalid documents from before the validator. */
export const readerOf = <T extends Document>(db: Db, kind: CatalogueKind, validator: Document, sort: Sort) => ({
  all: () => db.collection(kind).find<T>(validator, catalogueRead).sort(sort).toArray()
})

// In the large collections, only what has changed is read.

export const stampIndex = { key: { stamp: 1 } } as const

export const writtenSince = (moment: Date | undefined) => (moment ? { stamp: { $gte: moment } } : {})

/** When a document was last written, in milliseconds. 0 if there is none. */
export const latestStampIn = async (db: Db, kind: CatalogueKind) => {
  const [latest] = await db
    .collection<Imported>(kind)
    .find({ stamp: { $lte: wireYears.last } }, { ...catalogueRead, projection: { stamp: 1 }, sort: { stamp: -1 }, limit: 1 })
    .toArray()
  return latest?.stamp.getTime() ?? 0
}
