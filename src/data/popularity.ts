import type { Db } from 'mongodb'

/** What was watched of late in a country, or anywhere (`*`), the most watched first. */
export interface PopularityDocument {
  _id: string
  content_ids: number[]
  views: number[]
  counted_at: Date
  /** Milliseconds that the counting took. */
  took: number
}

export const anywhere = '*'

/** The last count of what is popular. */
export const popularityOf = (db: Db) => {
  const popularity = db.collection<PopularityDocument>('popularity')

  return {
    counted: () => popularity.findOne({ _id: anywhere }, { projection: { counted_at: 1, took: 1 } }),
    all: () => popularity.find().toArray(),
    /** Ordered: the count is told by its last document. */
    save: (countries: PopularityDocument[]) =>
      popularity.bulkWrite([
        { deleteMany: { filter: { _id: { $nin: countries.map(({ _id }) => _id) } } } },
        ...countries
          .sort((a, b) => Number(a._id === anywhere) - Number(b._id === anywhere))
          .map(document => ({ replaceOne: { filter: { _id: document._id }, replacement: document, upsert: true } }))
      ])
  }
}
