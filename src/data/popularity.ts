import type { Db } from 'mongodb'

/** Recent views in a country, or anywhere (`*`), the most viewed content first. */
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
    all: () => popularity.find().toArray(),
    /** Writes `*` last, because its `counted_at` says that the count is complete. */
    save: (countries: Omit<PopularityDocument, 'counted_at'>[]) =>
      popularity.bulkWrite([
        { deleteMany: { filter: { _id: { $nin: countries.map(({ _id }) => _id) } } } },
        ...countries
          .sort((a, b) => Number(a._id === anywhere) - Number(b._id === anywhere))
          .map(({ _id, ...counts }) => ({
            updateOne: { filter: { _id }, update: { $set: counts, $currentDate: { counted_at: true as const } }, upsert: true }
          }))
      ])
  }
}
