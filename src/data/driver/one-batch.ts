import type { Collection, Db, Document, Filter } from 'mongodb'
import { seconds } from '../../time.js'

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

/**
 * Reads what no change of primary can roll back, and says up to when. That is in the past while too few members of the replica set
 * keep up. A server of its own knows everything.
 */
export const aggregateCommitted = async <T>(db: Db, { collectionName }: Pick<Collection, 'collectionName'>, pipeline: Document[]) => {
  const readConcern = { level: 'majority' }
  const { cursor, operationTime } = await db.command({ aggregate: collectionName, pipeline, cursor: { batchSize }, readConcern })
  const committedAt: number = operationTime ? seconds(operationTime.getHighBits()) : Number.POSITIVE_INFINITY
  return { rows: cursor.firstBatch as T[], committedAt }
}

/** The rows as one object, in which those that are missing have the fields of `none`. */
export const aggregateIntoOne = async <T extends object>(
  db: Db,
  collection: Pick<Collection, 'collectionName'>,
  pipeline: Document[],
  none: T,
  options: { hint: Document }
): Promise<T> => Object.assign({ ...none }, ...(await aggregateInOneBatch<Partial<T>>(db, collection, pipeline, options)))

export const findInOneBatch = async <T extends Document>(db: Db, { collectionName }: Collection<T>, filter: Filter<T>): Promise<T[]> => {
  const { cursor } = await db.command({ find: collectionName, filter, batchSize, singleBatch: true })
  return cursor.firstBatch
}
