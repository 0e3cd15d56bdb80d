import { type Collection, type Db, MongoBulkWriteError } from 'mongodb'
import { revisionsOf } from '../../data/catalogue.js'
import { duplicateKey } from '../../data/driver/faults.js'
import type { Lease } from '../../data/leases.js'
import type { Kind, Operation } from '../kind.js'
import type { Source } from '../reading/sources.js'
import { type BatchOptions, batchesOf } from '../records.js'

interface WriteOptions extends BatchOptions {
  confirm: Lease['confirm']
}

export interface Counts {
  added: number
  changed: number
  unchanged: number
}

/** How often a batch is tried when other processes write the same documents first. */
const maxAttempts = 5

const bulkOptions = { ordered: false, writeConcern: { w: 'majority' as const } }

/** Writes as much as possible. `error` says why the rest failed. */
const writeOnce = async (collection: Collection, operations: Operation[], timeout: { timeoutMS: number }) => {
  try {
    return { result: await collection.bulkWrite(operations, { ...bulkOptions, ...timeout }), error: undefined }
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

const writeBatch = async (db: Db, kind: Kind, records: unknown[], prepared: Operation[], confirm: Lease['confirm']) => {
  const collection = db.collection(kind.collection)
  const counts = { added: 0, changed: 0 }
  let operations = prepared
  for (let attempt = 1; operations.length > 0; attempt++) {
    const { result, error } = await writeOnce(collection, operations, await confirm())
    counts.added += result.upsertedCount
    counts.changed += result.modifiedCount
    if (kind.revision && result.upsertedCount + result.modifiedCount > 0) await revisionsOf(db).raise(kind.revision)
    if (!error) break
    if (attempt === maxAttempts || !isRace(error)) throw error
    operations = await kind.operations(records)
  }
  return counts
}

/** Writes the records that differ from the database. Reads the next batch while it writes one. */
export const writeFile = async (db: Db, source: Source, kind: Kind, { onBatch, signal, confirm }: WriteOptions) => {
  const total: Counts = { added: 0, changed: 0, unchanged: 0 }
  const count = (records: number, { added, changed }: { added: number; changed: number }) => {
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
      const operations = await kind.operations(records)
      await writing
      writing = writeBatch(db, kind, records, operations, confirm).then(counts => {
        count(pieces.length, counts)
        onBatch(bytes, pieces.length)
      })
      // It is awaited later. Without this, a failure until then would end the process as an unhandled rejection.
      writing.catch(() => undefined)
    }
  } finally {
    await writing
  }
  // Even if nothing was written: an earlier run may have been killed between its last batch and its revision.
  if (kind.revision) await revisionsOf(db).raise(kind.revision)
  return total
}
