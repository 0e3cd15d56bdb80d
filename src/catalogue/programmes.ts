import type { Db } from 'mongodb'
import { date, id, text, validatorOf } from '../database/bson-schema.js'
import { catalogueRead, type Imported } from './kinds.js'

/** An entry in the schedule of a channel. */
export interface ProgrammeDocument extends Imported {
  _id: number
  channel: string
  starts_at: Date
  ends_at: Date
  content_id: number
}

export const programmeValidator = validatorOf<Omit<ProgrammeDocument, keyof Imported>>({
  _id: id,
  channel: text,
  starts_at: date,
  ends_at: date,
  content_id: id
})

export const programmesOf = (db: Db) => {
  const programmes = db.collection<ProgrammeDocument>('programmes')
  return {
    all: () =>
      programmes.find(programmeValidator, { ...catalogueRead, projection: { channel: 1, starts_at: 1, ends_at: 1, content_id: 1 } })
  }
}
