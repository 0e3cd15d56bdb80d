import type { Db, IndexDescription } from 'mongodb'
import { date, id, orNull, text, validatorOf } from '../database/bson-schema.js'
import { catalogueRead, type Imported, latestStampIn, stampIndex, writtenSince } from './kinds.js'

export interface PersonDocument extends Imported {
  _id: number
  name: string
  /** URL of a picture. */
  image: string | null
  created_at: Date
  updated_at: Date
}

export const personValidator = validatorOf<Omit<PersonDocument, keyof Imported>>({
  _id: id,
  name: text,
  image: orNull(text),
  created_at: date,
  updated_at: date
})

/** The fields of a person that are kept in memory. */
export type KnownPerson = Pick<PersonDocument, '_id' | 'name' | 'image'>

export const personIndexes: IndexDescription[] = [stampIndex]

export const peopleOf = (db: Db) => {
  const people = db.collection<PersonDocument>('people')
  return {
    /** By id: all, or those written since a moment. A cursor, because there may be more people than contents. */
    known: (since?: Date) =>
      people.find<KnownPerson>(
        { ...writtenSince(since), ...personValidator },
        { ...catalogueRead, projection: { name: 1, image: 1 }, sort: { _id: 1 }, batchSize: 2000 }
      ),
    latestStamp: () => latestStampIn(db, 'people'),
    count: () => people.countDocuments(personValidator, catalogueRead)
  }
}
