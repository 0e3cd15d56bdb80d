import type { Db, Document } from 'mongodb'
import type { ImportKind } from '../../schemas/import.js'
import { type Counted, counterOf } from '../database/counters.js'
import type { RevisionKind } from '../database/revisions.js'
import { Table } from '../table.js'
import { moment } from '../time.js'
import { inBatches } from './records.js'

/** How the records of one kind of file are checked, beyond their schema, and written. `src/import/index.ts` lists the kinds. */
export interface Kind<R = unknown> {
  collection: string
  /** Raised after changes, so that server processes reload what has changed. */
  revision?: RevisionKind
  /** Checks a batch. Called for all batches before anything is written. */
  check(entries: Entry<R>[], report: ReportFault): Promise<void> | void
  /** Checks what depends on all records. */
  checkAll?(report: ReportFault): Promise<void>
  /** Reports possible mistakes, which are written all the same. */
  warn?(report: ReportFault): Promise<void>
  /** Whether a later record of the run replaces this one, which is then not written. */
  isSuperseded?(place: number): boolean
  /** Called before the first write. */
  begin?(): Promise<unknown>
  /** Whether documents are found by their `arrived_at`, which `operations` has set. */
  arrives?: boolean
  /** The writes for records that differ from the database. Called again if another process wrote the same documents first. */
  operations(records: R[]): Promise<Operation[]>
  pruning?: Pruning
}

/** How documents that are missing from the run are removed. */
export interface Pruning {
  ids(): Promise<Id[]>
  /** Removes some of these. Returns how many. */
  remove(ids: Id[], limit: WriteLimit): Promise<number>
}

export type Id = number | string

/** How long a write may take before the lease of the run ends. */
export type WriteLimit = { maxTimeMS?: number }

/** `place` is the line of an `.ndjson` file, or the position in a `.json` array, from 1. */
export interface Entry<R> {
  record: R
  place: number
}

/** With `other`, the reason ends with the place of that other record. */
export type ReportFault = (place: number, field: string, reason: string, other?: number) => void

export type Operation =
  /** With `upsert`, the document did not exist when it was read. Without, a document that the filter no longer matches is read again. */
  | { updateOne: { filter: Document; update: Document | Document[]; upsert?: boolean } }
  /** Much faster than an `upsert`. */
  | { insertOne: { document: Document } }

/** Shared by all kinds of a run. */
export interface ImportRun {
  db: Db
  /** `iss` of users with a `sub`. */
  issuer: string | undefined
  /** Percentage from which an item counts as completed. */
  completedAt: number
  /** Kinds whose documents are removed if they are missing from the run. */
  pruned: ReadonlySet<ImportKind>
  ids: Record<'users' | 'terms' | 'people' | 'contents', KnownIds>
  /** What other kinds need to know about the contents of the run before these are in the database. */
  contents: GivenContents
  /** Whether nothing is written. */
  isCheck: boolean
}

export class GivenContents {
  readonly parents = new Table(1, 1)
  /** The duration of each item, and when its credits begin. NaN if only one of the two is known. */
  readonly lengths = new Table(1, 2)
}

/** The counter of a collection. In a check, one that writes nothing and returns unused ids. */
export const idsFor = ({ db, isCheck }: ImportRun, name: Counted) =>
  isCheck ? { nextBlock: async () => Number.MIN_SAFE_INTEGER, moveTo: async () => undefined } : counterOf(db, name)

export const momentOrNull = (text: string | null | undefined) => (text ? (moment(text) as Date) : null)

/** Returns a function that claims a key for a record, and returns whether it was free. Reports a key that an earlier record has. */
export const uniqueKeys = (table: Table, field: string) => (key: readonly [number, number?], place: number, report: ReportFault) => {
  const isFree = table.add(key, place)
  if (!isFree) report(place, field, 'is already used', table.get(0, ...key))
  return isFree
}

/** The ids that records may refer to: those in the run and those in the database. */
export class KnownIds {
  /** The ids in the run, with the places of their records. */
  readonly given = new Table(1, 1)
  private readonly stored = new Table(1)

  constructor(
    private readonly db: Db,
    private readonly collection: string,
    /** Whether ids that only the database has will be removed. */
    private readonly pruned = false
  ) {}

  async missing(ids: Iterable<number>) {
    const unknown = new Set<number>()
    for (const id of ids) if (!this.given.has(id) && !this.stored.has(id)) unknown.add(id)
    if (this.pruned) return unknown
    for (const batch of inBatches(unknown)) {
      const found = this.db.collection<{ _id: number }>(this.collection).find({ _id: { $in: batch } }, { projection: { _id: 1 } })
      for await (const { _id } of found) {
        this.stored.add([_id])
        unknown.delete(_id)
      }
    }
    return unknown
  }
}
