import type { Db } from 'mongodb'

/** Recent views in a country, or anywhere (`*`), most viewed first. */
export interface PopularityDocument {
  _id: string
  content_ids: number[]
  views: number[]
  /** By the database's clock, because processes compare it. */
  counted_at: Date
  /** How many milliseconds the count took. */
  took: number
}

/** `age` is in milliseconds. */
export interface Counted extends Pick<PopularityDocument, 'counted_at' | 'took'> {
  age: number
}

export const anywhere = '*'

export const popularityOf = (db: Db) => {
  const popularity = db.collection<PopularityDocument>('popularity')

  return {
    counted: () =>
      popularity.findOne<Counted>(
        { _id: anywhere },
        { projection: { counted_at: 1, took: 1, age: { $subtract: ['$$NOW', '$counted_at'] } } }
      ),
    // Each has up to a quarter of a megabyte, and all of them in one batch would block the event loop.
    all: () => popularity.find({}, { batchSize: 2 }).toArray(),
    keepOnly: (countries: string[]) => popularity.deleteMany({ _id: { $nin: countries } }),
    save: ({ _id, ...counts }: Omit<PopularityDocument, 'counted_at'>) =>
      popularity.updateOne({ _id }, { $set: counts, $currentDate: { counted_at: true } }, { upsert: true })
  }
}
