import { CursorTimeoutMode } from 'mongodb'
import { seconds } from '../time.js'

/** What a command keeps with each document of the catalogue that it writes. */
export interface Imported {
  /** Of the fields as they were given: what an import gives again unchanged is not written again. */
  digest: string
  /** When it was written, by the clock of the database. */
  stamp: Date
}

/**
 * What the majority has: a change of primary takes nothing of it back, so that a process never knows of what was rolled back
 * since. The catalogue is read as a whole, which may take long; each batch of it may not, since what follows waits for it.
 */
export const settled = {
  readConcern: 'majority',
  timeoutMS: seconds(2),
  timeoutMode: CursorTimeoutMode.ITERATION
} as const

/** The collections that make up the catalogue, each with a revision of its own. */
export const catalogueKinds = ['contents', 'terms', 'rail_collections', 'legal_documents', 'programmes', 'support_texts'] as const
export type CatalogueKind = (typeof catalogueKinds)[number]
