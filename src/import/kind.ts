import type { Db, Document } from 'mongodb'
import type { ImportKind } from '../../schemas/import.js'
import type { RevisionKind } from '../data/catalogue.js'
import type { Lease } from '../data/leases.js'
import type { KnownIds } from './checking/known-ids.js'

/** `place` is the line of an `.ndjson` file, or the position in a `.json` array, from 1. */
export interface Entry<R> {
  record: R
  place: number
}

/** With `other`, the reason ends with the place of that other record. */
export type ReportFault = (place: number, field: string, reason: string, other?: number) => void

/** Shared by all kinds of a run. */
export interface ImportRun {
  db: Db
  /** `iss` of users with a `sub`. */
  issuer: string | undefined
  /** Percentage from which a content counts as completed. */
  completedAt: number
  /** Kinds whose documents are removed if the run lacks them. */
  pruned: ReadonlySet<ImportKind>
  ids: Record<'users' | 'terms' | 'contents', KnownIds>
}

export interface Operation {
  updateOne: { filter: Document; update: Document | Document[]; upsert: true }
}

/** How the records of one kind of file are checked, beyond their schema, and written. */
export interface Kind<R = unknown> {
  collection: string
  /** Raised after changes, so that the servers reload what has changed. */
  revision?: RevisionKind
  /** Checks one batch after the other, before anything is written. */
  check(entries: Entry<R>[], report: ReportFault): Promise<void> | void
  /** Checks what depends on all records. */
  checkAll?(report: ReportFault): Promise<void>
  /** Whether a later record of the run replaces this one, which is then not written. */
  isSuperseded?(place: number): boolean
  /** Called before the first write. */
  begin?(): Promise<unknown>
  /** The writes for records that differ from the database. Called again if another process wrote the same documents first. */
  operations(records: R[]): Promise<Operation[]>
  /** Removes the documents that the run lacks, and confirms the lease before each write. Returns how many. */
  prune?(confirm: Lease['confirm']): Promise<number>
}
