import { hash } from 'node:crypto'
import { type Collection, type Db, type Document, MongoBulkWriteError } from 'mongodb'
import type { CatalogueKind, Imported } from '../catalogue/kinds.js'
import { duplicateKey } from '../database/faults.js'
import type { Lease } from '../database/leases.js'
import { revisionsOf } from '../database/revisions.js'
import type { Teller } from '../sync/index.js'
import { seconds } from '../time.js'
import type { Id, Kind, Operation, Pruning, WriteLimit } from './kind.js'
import { type BatchOptions, batchesOf, inBatches } from './records.js'
import type { Source } from './sources.js'

interface WriteOptions {
  confirm: Lease['confirm']
  /** Announces whose lists a batch has changed, for streams of changes. */
  tell: Teller
}

interface Written {
  added: number
  changed: number
}

export interface Counts extends Written {
  unchanged: number
}

/** Writes the records that differ from the database. */
export const writeFile = async (db: Db, source: Source, kind: Kind, options: WriteOptions & BatchOptions) => {
  const counts = await eachBatch(source, kind, options, batch => writeBatch(db, kind, batch, options))
  // Even if nothing was written, because an earlier run may have been killed between its last batch and its revision.
  if (kind.revision) await revisionsOf(db).raise(kind.revision)
  return counts
}

/** Counts what `writeFile` would write. */
export const countFile = (source: Source, kind: Kind, options: BatchOptions) =>
  eachBatch(source, kind, options, async ({ prepared: { operations } }) => {
    const added = operations.filter(operation => 'insertOne' in operation || operation.updateOne.upsert).length
    return { added, changed: operations.length - added }
  })

interface WriteBatch {
  records: unknown[]
  prepared: Prepared
}

/** Prepares the next batch while one is written. */
const eachBatch = async (source: Source, kind: Kind, { onBatch, signal }: BatchOptions, write: (batch: WriteBatch) => Promise<Written>) => {
  const total: Counts = { added: 0, changed: 0, unchanged: 0 }
  const count = (records: number, { added, changed }: Written) => {
    total.added += added
    total.changed += changed
    total.unchanged += records - added - changed
  }

  await kind.begin?.()
  let writing: Promise<unknown> = Promise.resolve()
  try {
    for await (const { pieces, bytes } of batchesOf(source)) {
      if (signal?.aborted) break
      const current = pieces.filter(({ place }) => !kind.isSuperseded?.(place))
      const records = current.map(piece => JSON.parse((piece as { text: string }).text))
      const prepared = await prepare(kind, records)
      await writing
      writing = write({ records, prepared }).then(counts => {
        count(pieces.length, counts)
        onBatch(bytes, pieces.length)
      })
      // It is awaited later. Until then, a failure would end the process as an unhandled rejection.
      writing.catch(() => undefined)
    }
  } finally {
    await writing
  }
  return total
}

/** The users of writes to lists. Other writes have no `user_id`. */
const usersOf = (operations: Operation[]) => [...new Set(operations.flatMap(operation => targetOf(operation).user_id ?? []))]

const targetOf = (operation: Operation) => ('insertOne' in operation ? operation.insertOne.document : operation.updateOne.filter)

/** Removes what is missing from the run, and raises the revision. Returns how many documents were removed. */
export const pruneKind = async (db: Db, { ids, remove }: Pruning, revision: Kind['revision'], confirm: Lease['confirm']) => {
  let removed = 0
  for (const batch of inBatches(await ids())) removed += await remove(batch, await confirm())
  if (removed > 0 && revision) await revisionsOf(db).raise(revision)
  return removed
}

/** How often a batch is tried if other processes write the same documents first. */
const maxAttempts = 5

const bulkOptions = { ordered: false, writeConcern: { w: 'majority' as const } }

/** Writes as much as possible. `error` says why the rest failed. */
const writeOnce = async (collection: Collection, operations: Operation[], limit: WriteLimit) => {
  try {
    return { result: await collection.bulkWrite(operations, { ...bulkOptions, ...limit }), error: undefined }
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error
    // The driver also wraps the error of a lost connection.
    if (error.errorResponse instanceof Error) throw error.errorResponse
    return { result: error.result, error }
  }
}

/** Whether another process inserted the same documents first. A second attempt then updates them. */
const isRace = ({ writeErrors, result }: MongoBulkWriteError) => {
  const errors = [writeErrors].flat()
  return errors.length > 0 && errors.every(({ code }) => code === duplicateKey) && result.getWriteConcernError() === undefined
}

interface Prepared {
  operations: Operation[]
  /** When the first query began, by `performance.now()`. */
  began: number
}

const prepare = async (kind: Kind, records: unknown[]): Promise<Prepared> => {
  const began = performance.now()
  return { operations: records.length > 0 ? await kind.operations(records) : [], began }
}

const writeBatch = async (db: Db, kind: Kind, { records, prepared }: WriteBatch, { confirm, tell }: WriteOptions): Promise<Written> => {
  const collection = db.collection(kind.collection)
  const counts = { added: 0, changed: 0 }
  let { operations, began } = prepared
  for (let attempt = 1; operations.length > 0; attempt++) {
    const { result, error } = await tell(usersOf(operations), async () => writeOnce(collection, operations, await confirm()))
    const { insertedCount, upsertedCount, matchedCount, modifiedCount } = result
    counts.added += insertedCount + upsertedCount
    counts.changed += modifiedCount
    if (kind.revision && upsertedCount + modifiedCount > 0) await revisionsOf(db).raise(kind.revision)
    if (kind.arrives && performance.now() - began > longestArrival) await arriveNow(collection, operations, await confirm())
    const isComplete = insertedCount + upsertedCount + matchedCount === operations.length
    if (!error && isComplete) break
    if (attempt === maxAttempts || (error && !isRace(error)))
      throw error ?? new Error(`${kind.collection}: other processes keep changing the same documents`)
    ;({ operations, began } = await prepare(kind, records))
  }
  return counts
}

/** Apps reread what has arrived within this time. */
const longestArrival = seconds(5)

/** For a batch that took so long that apps may have read past its arrival. */
const arriveNow = (collection: Collection, operations: Operation[], limit: WriteLimit) =>
  collection.updateMany(
    { _id: { $in: operations.map(operation => targetOf(operation)._id) } },
    { $currentDate: { arrived_at: true } },
    limit
  )

// Documents of the catalogue

/** Part of every digest. Increment it when the same record results in a different document. */
const version = 3

/** Fields that default to the time of the insert. `updated_at` defaults to the time of the last change. */
type Lasting = 'created_at' | 'start_date'

/** The fields of a document as its record gives them. Undefined times get their default. */
export type Fields<D extends Imported> = {
  [F in keyof Omit<D, keyof Imported | '_id'>]: F extends Lasting | 'updated_at' ? D[F] | undefined : D[F]
}

interface Draft<I extends Id = Id> {
  _id: I
  fields: object
}

export interface Stored extends Imported {
  _id: Id
}

export interface UpsertOptions<S extends Stored> {
  /** The fields that a document has besides those of its record. */
  derive?: (draft: Draft, stored: S | undefined) => object
  /** The projection of the stored document that `derive` needs. */
  reads?: Document
}

/** Returns a function that makes upserts for the drafts that differ from the last import. */
export const upsertsFor = <S extends Stored = Stored>(db: Db, collection: CatalogueKind, { derive, reads }: UpsertOptions<S> = {}) => {
  const projection = { digest: 1, ...reads }
  return async (drafts: Draft[]): Promise<Operation[]> => {
    const ids = drafts.map(({ _id }) => _id)
    const found = await db
      .collection<Stored>(collection)
      .find<S>({ _id: { $in: ids } }, { projection, batchSize: ids.length + 1 })
      .toArray()
    const stored = new Map(found.map(document => [document._id, document]))
    return drafts.flatMap(draft => {
      const known = stored.get(draft._id)
      const digest = digestOf(draft.fields)
      if (known?.digest === digest) return []
      return writeOf(draft, known, derive?.(draft, known) ?? {}, digest)
    })
  }
}

const digestOf = (fields: object) => hash('sha256', `${version}${JSON.stringify(fields)}`, 'base64url')

const writeOf = ({ _id, fields }: Draft, known: Stored | undefined, derived: object, digest: string): Operation => {
  const now = new Date()
  const $set: Document = { digest }
  const $setOnInsert: Document = {}
  for (const [field, value] of Object.entries(fields)) {
    if (value !== undefined) $set[field] = value
    else if (field === 'updated_at') $set[field] = now
    else $setOnInsert[field] = now
  }
  Object.assign($set, derived)
  // Servers find changes by their stamp, so it comes from the only clock that they share, that of the database.
  return { updateOne: { filter: { _id }, update: { $set, $setOnInsert, $currentDate: { stamp: true } }, upsert: !known } }
}

/** The ids in the database that are missing from the run. */
export const idsNotGiven = async <I extends Id>(db: Db, collection: CatalogueKind, isGiven: (id: I) => boolean, filter = {}) => {
  const ids: I[] = []
  const all = db.collection<Stored>(collection).find<{ _id: I }>(filter, { projection: { _id: 1 }, batchSize: 10_000 })
  for await (const { _id } of all) if (!isGiven(_id)) ids.push(_id)
  return ids
}

export const removeDocuments = async (db: Db, collection: CatalogueKind, ids: Id[], limit: WriteLimit) => {
  const options = { ...limit, writeConcern: { w: 'majority' as const } }
  const { deletedCount } = await db.collection<Stored>(collection).deleteMany({ _id: { $in: ids } }, options)
  return deletedCount
}
