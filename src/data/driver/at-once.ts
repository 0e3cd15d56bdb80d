import type { Collection, Db, Document, Filter } from 'mongodb'

// Reads of a few elements, whose results come whole in one answer of the database. What the driver's cursors do so that
// they could fetch a rest costs the process twice what the operation does. Of the primary, so that viewers meet what they wrote.

/** More than any of these reads gives. */
const most = 1_000_000

export const aggregateAtOnce = async <T>(
  db: Db,
  { collectionName }: Pick<Collection, 'collectionName'>,
  pipeline: Document[],
  options: { hint?: Document } = {}
): Promise<T[]> => {
  const { cursor } = await db.command({ aggregate: collectionName, pipeline, cursor: { batchSize: most }, ...options })
  return cursor.firstBatch
}

export const findAtOnce = async <T extends Document>(db: Db, { collectionName }: Collection<T>, filter: Filter<T>): Promise<T[]> => {
  const { cursor } = await db.command({ find: collectionName, filter, batchSize: most, singleBatch: true })
  return cursor.firstBatch
}
