import type { Collection, Db, Document, Filter } from 'mongodb'

// Reads whose results fit into one batch. A cursor of the driver costs the process twice as much as the operation itself.
// They read from the primary, so that viewers see their own writes.

/** More than any of these reads returns. */
const batchSize = 1_000_000

export const aggregateInOneBatch = async <T>(
  db: Db,
  { collectionName }: Pick<Collection, 'collectionName'>,
  pipeline: Document[],
  options: { hint?: Document; readConcern?: { level: 'majority' } } = {}
): Promise<T[]> => {
  const { cursor } = await db.command({ aggregate: collectionName, pipeline, cursor: { batchSize }, ...options })
  return cursor.firstBatch
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
