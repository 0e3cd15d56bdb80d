import type { Collection, Db, Document, Filter, Sort } from 'mongodb'
import type { PageQuery } from '../../schemas/page.js'
import { aggregateInOneBatch } from './driver/one-batch.js'

/** The elements of a page and the total, in one operation. */
export const pageOf = async <T extends Document>(
  db: Db,
  collection: Collection<T>,
  filter: Filter<T>,
  order: Sort,
  { page, perPage }: PageQuery
) => {
  const count = [{ $match: filter }, { $count: 'total' }]
  const rows = await aggregateInOneBatch<T | { total: number }>(db, collection, [
    { $match: filter },
    { $sort: order },
    { $skip: (page - 1) * perPage },
    { $limit: perPage },
    { $unionWith: { coll: collection.collectionName, pipeline: count } }
  ])
  // $count returns no row when nothing matches.
  let total = 0
  const elements: T[] = []
  for (const row of rows) {
    if ('_id' in row) elements.push(row as T)
    else total = row.total
  }
  return { elements, total }
}
