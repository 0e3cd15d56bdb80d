import type { Db } from 'mongodb'

const batchSize = 5000
/** Batches in flight while the next one is built. */
const underWay = 3

/** Inserts documents as fast as the database accepts them. */
export const insert = async <T extends object>(db: Db, collection: string, documents: Iterable<T>) => {
  const target = db.collection(collection)
  const writes: Promise<unknown>[] = []
  let batch: T[] = []
  const write = async () => {
    if (batch.length > 0) writes.push(target.insertMany(batch, { ordered: false }))
    batch = []
    if (writes.length >= underWay) await writes.shift()
  }
  for (const document of documents) if (batch.push(document) === batchSize) await write()
  await write()
  await Promise.all(writes)
}

/** Calls `make` with 1 to `count`. */
export function* generate<T>(count: number, make: (n: number) => T) {
  for (let n = 1; n <= count; n++) yield make(n)
}
