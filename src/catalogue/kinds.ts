import type { Db, Document, Sort } from 'mongodb'

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

/** Reads the small collections, which are kept in memory as they are. Skips what does not fit: it was there before the validator. */
export const readerOf = <T extends Document>(db: Db, kind: CatalogueKind, validator: Document, sort: Sort) => ({
  all: () => db.collection(kind).find<T>(validator, catalogueRead).sort(sort).toArray()
})
