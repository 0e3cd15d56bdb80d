import { type Collection, type Db, MongoBulkWriteError } from 'mongodb'
import { duplicateKey } from '../../data/driver/faults.js'
import { revisionsOf } from '../../data/revisions.js'
import type { Kind, Operation } from '../kind.js'
import type { Source } from '../reading/sources.js'
import { batchesOf } from '../records.js'
import { patience } from './patience.js'

export interface Counts {
  added: number
  changed: number
  unchanged: number
}

/** So often may other processes be faster with the same documents. */
const attempts = 5

const bulkOptions = { ...patience, ordered: false, writeConcern: { w: 'majority' as const } }

/** What was written, and what kept the rest from it. */
const writeOnce = async (collection: Collection, operations: Operation[]) => {
  try {
    return { result: await collection.bulkWrite(operations, bulkOptions), error: undefined }
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error
    // The driver wraps also what befell the connection.
    if (error.errorResponse instanceof Error) throw error.errorResponse
    return { result: error.result, error }
  }
}

/** Whether another process wrote the same documents first: then they can be updated. */
const isRace = ({ writeErrors, result }: MongoBulkWriteError) => {
  const errors = [writeErrors].flat()
  return errors.length > 0 && errors.every(({ code }) => code === duplicateKey) && result.getWriteConcernError() === undefined
}

const writeBatch = async (db: Db, kind: Kind, records: unknown[], prepared: Operation[]) => {
  const collection = db.collection(kind.collection)
  const counts = { added: 0, changed: 0 }
  let operations = prepared
  for (let attempt = 1; operations.length > 0; attempt++) {
    const { result, error } = await writeOnce(collection, operations)
    counts.added += result.upsertedCount
    counts.changed += result.modifiedCount
    if (kind.revision && result.upsertedCount + result.modifiedCount > 0) await revisionsOf(db).raise(kind.revision)
    if (!error) break
    if (attempt === attempts || !isRace(error)) throw error
    operations = await kind.operations(records)
  }
  return counts
}

/** Writes what the database has otherwise than the file. While one batch is written the next is read. */
export const writeFile = async (
  db: Db,
  source: Source,
  kind: Kind,
  { onBatch, signal }: { onBatch: (bytes: number, records: number) => void; signal: AbortSignal | undefined }
) => {
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
      const standing = pieces.filter(({ place }) => !kind.isReplaced?.(place))
      const records = standing.map(piece => JSON.parse((piece as { text: string }).text))
      const operations = await kind.operations(records)
      await writing
      writing = writeBatch(db, kind, records, operations).then(counts => {
        count(pieces.length, counts)
        onBatch(bytes, pieces.length)
      })
      // It is waited for above and below; until then its failure is not unhandled.
      writing.catch(() => undefined)
    }
  } finally {
    await writing
  }
  // Also where nothing differed: an earlier run may have been killed between its last batch and the revision.
  if (kind.revision) await revisionsOf(db).raise(kind.revision)
  return total
}
