import type { Collection, Db } from 'mongodb'

interface CounterDocument {
  _id: string
  last: number
}

/** Integer ids for the documents of a collection, given once each whatever process asks. */
export const counterOf = (db: Db, name: string) => {
  const counters: Collection<CounterDocument> = db.collection('counters')
  const take = async (count: number) => {
    const counter = await counters.findOneAndUpdate({ _id: name }, { $inc: { last: count } }, { upsert: true, returnDocument: 'after' })
    return (counter as CounterDocument).last
  }
  return {
    next: () => take(1),
    /** The first of as many ids in a row. */
    nextBlock: async (count: number) => (await take(count)) - count + 1,
    /** Ids that came from elsewhere are never given again. */
    moveTo: (id: number) => counters.updateOne({ _id: name }, { $max: { last: id } }, { upsert: true })
  }
}
