import type { Db } from 'mongodb'
import { randomFrom } from '../../../src/recommendations/model/index.js'

/** Generated data ends when the command starts, so that views are as recent as those of a real service. */
const newest = Date.now()

export const ago = (time: number) => new Date(newest - time)

/** Random choices that are the same in every run. */
export const choicesFrom = (seed: number) => {
  const next = randomFrom(seed)
  return {
    /** An integer from 0 up to, but not including, the bound. */
    below: (bound: number) => Math.floor(next() * bound),
    of: <T>(choices: readonly T[]) => choices[Math.floor(next() * choices.length)] as T
  }
}
export type Choices = ReturnType<typeof choicesFrom>

/** Calls `make` with the numbers 1 to `count`. */
export function* generate<T>(count: number, make: (n: number) => T) {
  for (let n = 1; n <= count; n++) yield make(n)
}

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
