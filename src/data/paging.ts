import type { Collection, Db, Document, Filter, Sort } from 'mongodb'
import type { PageQuery } from '../../schemas/page.js'
import { aggregateInOneBatch } from './driver/one-batch.js'

/** Whether the elements of a content are shown. */
export type IsShown = (content_id: number) => boolean

interface Selected<T extends Document> {
  filter: Filter<T>
  order: Sort
  /** Leaves out elements that are not shown, which takes one more operation. */
  isShown?: IsShown | undefined
}

/** The elements of a page and the total, in one operation. */
export const pageOf = async <T extends Document>(
  db: Db,
  collection: Collection<T>,
  { filter: wanted, order, isShown }: Selected<T>,
  { page, perPage }: PageQuery
) => {
  const filter = isShown ? { $and: [wanted, { content_id: { $nin: await unshownContents(db, collection, wanted, isShown) } }] } : wanted
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

const unshownContents = async <T extends Document>(db: Db, collection: Collection<T>, filter: Filter<T>, isShown: IsShown) => {
  const elements = [{ $match: filter }, { $project: { _id: 0, content_id: 1 } }]
  const contents = await aggregateInOneBatch<{ content_id: number }>(db, collection, elements)
  return contents.map(({ content_id }) => content_id).filter(id => !isShown(id))
}
