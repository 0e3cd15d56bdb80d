import type { Collection, Db } from 'mongodb'

export const countedCollections = ['users', 'watchlist', 'terms'] as const
export type Counted = (typeof countedCollections)[number]

export interface CounterDocument {
  _id: Counted
  last: number
}

/** Integer ids for a collection, unique across processes. */
export const counterOf = (db: Db, name: Counted) => {
  const counters: Collection<CounterDocument> = db.collection('counters')
  /** Takes `count` consecutive ids and returns the last. Throws, without taking any, if they would exceed 2^53. */
  const take = async (count: number) => {
    const taken = { $add: [{ $ifNull: ['$last', 0] }, count] }
    const fits = { $lte: [taken, Number.MAX_SAFE_INTEGER] }
    const before = await counters.findOneAndUpdate({ _id: name }, [{ $set: { last: { $cond: [fits, taken, '$last'] } } }], {
      upsert: true,
      returnDocument: 'before'
    })
    const last = (before?.last ?? 0) + count
    if (last > Number.MAX_SAFE_INTEGER) throw new Error(`The counter of ${name} has run out of ids`)
    return last
  }
  return {
    next: () => take(1),
    /** Takes `count` consecutive ids and returns the first. */
    nextBlock: async (count: number) => (await take(count)) - count + 1,
    /** Marks the ids up to this one as used, for imports that bring their own ids. */
    moveTo: (id: number) => counters.updateOne({ _id: name }, { $max: { last: id } }, { upsert: true })
  }
}
