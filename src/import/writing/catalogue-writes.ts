import { createHash } from 'node:crypto'
import type { Db, Document } from 'mongodb'
import type { CatalogueKind, Imported } from '../../data/catalogue.js'
import type { Lease } from '../../data/leases.js'
import { inBatches } from '../batches.js'
import type { Kind, Operation } from '../kind.js'
import { batchTimeout, operationTimeout } from '../timeouts.js'

/** Part of every digest. Raise it when the same record makes a different document. */
const version = 2

type Id = number | string

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

interface Stored extends Imported {
  _id: Id
}

const digestOf = (fields: object) =>
  createHash('sha256')
    .update(`${version}${JSON.stringify(fields)}`)
    .digest('base64url')

const upsert = ({ _id, fields }: Draft, derived: object, digest: string): Operation => {
  const now = new Date()
  const $set: Document = { digest }
  const $setOnInsert: Document = {}
  for (const [field, value] of Object.entries(fields)) {
    if (value !== undefined) $set[field] = value
    else if (field === 'updated_at') $set[field] = now
    else $setOnInsert[field] = now
  }
  Object.assign($set, derived)
  // Servers find changes by their stamp, so it comes from the one clock that they share, the database's.
  return { updateOne: { filter: { _id }, update: { $set, $setOnInsert, $currentDate: { stamp: true } }, upsert: true } }
}

interface UpsertOptions<S extends Stored> {
  /** The fields that a document has besides those of its record. */
  derive?: (draft: Draft, stored: S | undefined) => object
  /** The projection of the stored document that `derive` needs. */
  reads?: Document
}

/** Returns a function that makes the upserts of the drafts that differ from the last import. */
export const upsertsFor = <S extends Stored = Stored>(db: Db, collection: CatalogueKind, { derive, reads }: UpsertOptions<S> = {}) => {
  const projection = { digest: 1, ...reads }
  return async (drafts: Draft[]): Promise<Operation[]> => {
    const ids = drafts.map(({ _id }) => _id)
    const found = await db
      .collection<Stored>(collection)
      .find<S>({ _id: { $in: ids } }, { ...operationTimeout, projection, batchSize: ids.length + 1 })
      .toArray()
    const stored = new Map(found.map(document => [document._id, document]))
    return drafts.flatMap(draft => {
      const known = stored.get(draft._id)
      const digest = digestOf(draft.fields)
      if (known?.digest === digest) return []
      return upsert(draft, derive?.(draft, known) ?? {}, digest)
    })
  }
}

/** The ids in the database that the run lacks. */
export const idsNotGiven = async <I extends Id>(db: Db, collection: CatalogueKind, isGiven: (id: I) => boolean, filter = {}) => {
  const ids: I[] = []
  const all = db.collection<Stored>(collection).find<{ _id: I }>(filter, { ...batchTimeout, projection: { _id: 1 }, batchSize: 10_000 })
  for await (const { _id } of all) if (!isGiven(_id)) ids.push(_id)
  return ids
}

/** Removes the documents that the run lacks. Returns how many. */
export const removeNotGiven = async <I extends Id>(
  db: Db,
  collection: CatalogueKind,
  isGiven: (id: I) => boolean,
  confirm: Lease['confirm']
) => {
  let removed = 0
  for (const batch of inBatches(await idsNotGiven(db, collection, isGiven))) {
    const result = await db
      .collection<Stored>(collection)
      .deleteMany({ _id: { $in: batch } }, { ...(await confirm()), writeConcern: { w: 'majority' } })
    removed += result.deletedCount
  }
  return removed
}

interface DocumentOptions<R, I extends Id, S extends Stored> extends UpsertOptions<S> {
  idOf: (record: R) => I
  fieldsOf: (record: R) => object
  isGiven: (id: I) => boolean
}

/** Shared by the kinds whose records are one document each, and whose pruning removes the documents that the run lacks. */
export const documentsOf = <R, I extends Id, S extends Stored = Stored>(
  db: Db,
  collection: CatalogueKind,
  { idOf, fieldsOf, isGiven, ...options }: DocumentOptions<R, I, S>
) => {
  const upserts = upsertsFor(db, collection, options)
  return {
    collection,
    revision: collection,
    operations: records => upserts(records.map(record => ({ _id: idOf(record), fields: fieldsOf(record) }))),
    prune: confirm => removeNotGiven(db, collection, isGiven, confirm)
  } satisfies Partial<Kind<R>>
}
