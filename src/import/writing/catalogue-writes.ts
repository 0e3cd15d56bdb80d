import { createHash } from 'node:crypto'
import type { Db, Document } from 'mongodb'
import type { CatalogueKind, Imported } from '../../data/catalogue.js'
import type { Operation } from '../kind.js'
import { inBatches } from './batches.js'
import { patience, patienceWithEach } from './patience.js'

/** To be raised when another document is made of the same record. */
const version = 2

/** These begin as now where a record does not give them, and then stay. `updated_at` becomes now with each change. */
type Lasting = 'created_at' | 'start_date'

/** The fields of a document as a record gives them; undefined where that leaves them to the clock. */
export type Fields<D extends Imported> = {
  [F in keyof Omit<D, keyof Imported | '_id'>]: F extends Lasting | 'updated_at' ? D[F] | undefined : D[F]
}

export interface Draft<Id> {
  _id: Id
  fields: object
}

interface Stored extends Imported {
  _id: number | string
}

const digestOf = (fields: object) =>
  createHash('sha256')
    .update(`${version}${JSON.stringify(fields)}`)
    .digest('base64url')

const replacement = ({ _id, fields }: Draft<number | string>, derived: object, digest: string): Operation => {
  const now = new Date()
  const $set: Document = { digest }
  const $setOnInsert: Document = {}
  for (const [field, value] of Object.entries(fields)) {
    if (value !== undefined) $set[field] = value
    else if (field === 'updated_at') $set[field] = now
    else $setOnInsert[field] = now
  }
  Object.assign($set, derived)
  // The stamp is of the database's clock, by which the servers look for changes.
  return { updateOne: { filter: { _id }, update: { $set, $setOnInsert, $currentDate: { stamp: true } }, upsert: true } }
}

interface Options<S extends Stored> {
  /** What a document has besides the fields of its record. */
  derive?: (draft: Draft<number | string>, stored: S | undefined) => object
  /** What that needs of the stored document. */
  reads?: Document
}

/** The writes of those documents whose records are not what an earlier import gave. */
export const replacing = <S extends Stored = Stored>(db: Db, collection: CatalogueKind, { derive, reads }: Options<S> = {}) => {
  const projection = { digest: 1, ...reads }
  return async (drafts: Draft<number | string>[]): Promise<Operation[]> => {
    const ids = drafts.map(({ _id }) => _id)
    const found = await db
      .collection<Stored>(collection)
      .find<S>({ _id: { $in: ids } }, { ...patience, projection, batchSize: ids.length + 1 })
      .toArray()
    const stored = new Map(found.map(document => [document._id, document]))
    return drafts.flatMap(draft => {
      const known = stored.get(draft._id)
      const digest = digestOf(draft.fields)
      if (known?.digest === digest) return []
      return replacement(draft, derive?.(draft, known) ?? {}, digest)
    })
  }
}

/** The ids of the documents that a run lacks. */
export const lacking = async <Id extends number | string>(db: Db, collection: CatalogueKind, given: (id: Id) => boolean, filter = {}) => {
  const lacking: Id[] = []
  const all = db
    .collection<Stored>(collection)
    .find<{ _id: Id }>(filter, { ...patienceWithEach, projection: { _id: 1 }, batchSize: 10_000 })
  for await (const { _id } of all) if (!given(_id)) lacking.push(_id)
  return lacking
}

/** Removes what a run lacks. */
export const removing = async <Id extends number | string>(db: Db, collection: CatalogueKind, given: (id: Id) => boolean) => {
  let removed = 0
  for (const batch of inBatches(await lacking(db, collection, given))) {
    const result = await db
      .collection<Stored>(collection)
      .deleteMany({ _id: { $in: batch } }, { ...patience, writeConcern: { w: 'majority' } })
    removed += result.deletedCount
  }
  return removed
}
