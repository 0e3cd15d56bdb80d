import type { Db } from 'mongodb'

/** What was watched of late in a country, or anywhere (`*`), the most watched first. */
export interface PopularityDocument {
  _id: string
  content_ids: number[]
  views: number[]
  /** By the clock of the database, like all that processes with clocks of their own compare. */
  counted_at: Date
  /** Milliseconds that the counting took. */
  took: number
}

/** A count, and the milliseconds since. */
export interface Counted extends Pick<PopularityDocument, 'counted_at' | 'took'> {
  age: number
}

export const anywhere = '*'

/** The last count of what is popular. */
export const popularityOf = (db: Db) => {
  const popularity = db.collection<PopularityDocument>('popularity')

  return {
    counted: () =>
      popularity.findOne<Counted>(
        { _id: anywhere },
        { projection: { counted_at: 1, took: 1, age: { $subtract: ['$$NOW', '$counted_at'] } } }
      ),
    all: () => popularity.find().toArray(),
    /** Ordered: the count is told by its last document. */
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
