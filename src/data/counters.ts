import type { Collection, Db } from 'mongodb'

interface CounterDocument {
  _id: string
  last: number
}

/** Integer ids for the documents of a collection, given once each whatever process asks. */
export const counterOf = (db: Db, name: string) => {
  const counters: Collection<CounterDocument> = db.collection('counters')
  /** The last of as many ids in a row. Where they do not fit below 2^53 any more, the counter stays. */
  const take = async (count: number) => {
    const taken = { $add: [{ $ifNull: ['$last', 0] }, count] }
    const fits = { $lte: [taken, Number.MAX_SAFE_INTEGER] }
    const before = await counters.findOneAndUpdate({ _id: name }, [{ $set: { last: { $cond: [fits, taken, '$last'] } } }], {
      upsert: true,
      returnDocument: 'before'
    })
    const last = (before?.last ?? 0) + count
    if (last > Number.MAX_SAFE_INTEGER) throw new Error(`The counter of ${name} has no more ids`)
    return last
  }
  return {
    next: () => take(1),
    /** The first of as many ids in a row. */
    nextBlock: async (count: number) => (await take(count)) - count + 1,
    /** Ids that came from elsewhere are never given again. */
    moveTo: (id: number) => counters.updateOne({ _id: name }, { $max: { last: id } }, { upsert: true })
  }
}
