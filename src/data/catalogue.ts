import { minutes } from '../time.js'

/** What a command keeps with each document of the catalogue that it writes. */
export interface Imported {
  /** Of the fields as they were given: what an import gives again unchanged is not written again. */
  digest: string
  /** When it was written, by the clock of the database. */
  stamp: Date
}

/** The catalogue is read as a whole, outside of any request: that may take longer than a request may. */
export const patience = { timeoutMS: minutes(2) }

/** The collections that make up the catalogue, each with a revision of its own. */
export const catalogueKinds = ['contents', 'terms', 'rail_collections', 'legal_documents', 'programmes', 'support_texts'] as const
export type CatalogueKind = (typeof catalogueKinds)[number]
