import type { Db, Document } from 'mongodb'
import type { ImportKind } from '../../schemas/import.js'
import type { CatalogueKind } from '../data/catalogue.js'
import type { KnownIds } from './checking/known-ids.js'

/** A record and its place in the file. */
export interface Entry<R> {
  record: R
  place: number
}

export type Report = (place: number, field: string, reason: string) => void

/** What the kinds of a run share. */
export interface Run {
  db: Db
  /** The identity provider of users who have a `sub`. */
  issuer: string | undefined
  /** The kinds of which the run has the full list. */
  pruned: ReadonlySet<ImportKind>
  ids: Record<'users' | 'terms' | 'contents', KnownIds>
}

export interface Operation {
  updateOne: { filter: Document; update: Document | Document[]; upsert: true }
}

/** One kind of file: what its records must be beyond their schema, and what becomes of them. */
export interface Kind<R = unknown> {
  collection: string
  /** What tells the servers of a change. */
  revision?: CatalogueKind
  /** Looks at some of the records, in their order, before anything is written. */
  check(entries: Entry<R>[], report: Report): Promise<void> | void
  /** Looks at what only all the records together show. */
  checkAll?(report: Report): Promise<void>
  /** Whether a later record of the run stands in the place of this one, which is then not written. */
  isReplaced?(place: number): boolean
  /** Before the first write. */
  begin?(): Promise<unknown>
  /** The writes of what the database has otherwise. Asked anew for the same records where another process was faster. */
  operations(records: R[]): Promise<Operation[]>
  /** Takes away what the run lacks and answers how many. */
  prune?(): Promise<number>
}
