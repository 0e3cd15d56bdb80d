import type { Collection, Db, Document, Filter } from 'mongodb'
import { seconds } from '../../time.js'
import { isAlone } from './faults.js'

// Reads whose results fit into one batch. A cursor of the driver costs the process twice as much as the operation itself.
// They read from the primary, so that viewers see their own writes.

/** More than any of these reads returns. */
const batchSize = 1_000_000

export const aggregateInOneBatch = async <T>(
  db: Db,
  { collectionName }: Pick<Collection, 'collectionName'>,
  pipeline: Document[],
  options: { hint?: Document } = {}
): Promise<T[]> => {
  const { cursor } = await db.command({ aggregate: collectionName, pipeline, cursor: { batchSize }, ...options })
  return cursor.firstBatch
}

/** The same, with each row as its bytes, for `columnsOf`. */
export const aggregateRaw = async (
  db: Db,
  { collectionName }: Pick<Collection, 'collectionName'>,
  pipeline: Document[],
  options: { hint: Document }
): Promise<Buffer[]> => {
  const command = { aggregate: collectionName, pipeline, cursor: { batchSize }, ...options }
  const { cursor } = await db.command(command, { fieldsAsRaw: { firstBatch: true } })
  return cursor.firstBatch
}

/** Databases of standalone servers, which keep no snapshots and roll nothing back. */
const withoutSnapshots = new WeakSet<Db>()

/**
 * Reads a state that no change of primary can roll back. `committedAt` is the time of that state, which falls behind while too few members
 * of the replica set keep up. Only the read of a snapshot returns it: any other returns the time at which the read ended.
 */
export const aggregateCommitted = async <T>(db: Db, { collectionName }: Pick<Collection, 'collectionName'>, pipeline: Document[]) => {
  const command = { aggregate: collectionName, pipeline, cursor: { batchSize } }
  if (!withoutSnapshots.has(db)) {
    try {
      const { cursor } = await db.command({ ...command, readConcern: { level: 'snapshot' } })
      return { rows: cursor.firstBatch as T[], committedAt: seconds(cursor.atClusterTime.getHighBits()) }
    } catch (error) {
      if (!isAlone(error)) throw error
      withoutSnapshots.add(db)
    }
  }
  const { cursor } = await db.command(command)
  return { rows: cursor.firstBatch as T[], committedAt: Number.POSITIVE_INFINITY }
}

export const findInOneBatch = async <T extends Document>(db: Db, { collectionName }: Collection<T>, filter: Filter<T>): Promise<T[]> => {
  const { cursor } = await db.command({ find: collectionName, filter, batchSize, singleBatch: true })
  return cursor.firstBatch
}
