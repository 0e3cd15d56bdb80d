import type { IndexDescription } from 'mongodb'
import type { Term } from '../../schemas/term.js'
import { date, id, text, validatorOf } from '../database/bson-schema.js'
import { timestamp } from '../time.js'
import type { Imported } from './kinds.js'

export interface TermDocument extends Imported {
  _id: number
  vendor_id: string
  name: string
  taxonomy: string
  created_at: Date
  updated_at: Date
}

export const termValidator = validatorOf<Omit<TermDocument, keyof Imported>>({
  _id: id,
  vendor_id: text,
  name: text,
  taxonomy: text,
  created_at: date,
  updated_at: date
})

export const termIndexes: IndexDescription[] = [{ key: { taxonomy: 1, vendor_id: 1 }, unique: true }]

export const toTerm = (term: TermDocument): Term => ({
  id: term._id,
  vendor_id: term.vendor_id,
  name: term.name,
  taxonomy: term.taxonomy,
  created_at: timestamp(term.created_at),
  updated_at: timestamp(term.updated_at)
})
