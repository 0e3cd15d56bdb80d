import { maxValues } from '../../schemas/lists.js'
import type { Rail } from '../../schemas/rail-collection.js'
import { date, id, listOf, objectOf, text, validatorOf } from '../database/bson-schema.js'
import { timestamp } from '../time.js'
import type { Imported } from './kinds.js'

export interface RailDocument {
  id: number
  name: string
  mname: string
  /** Parameters of GET /contents. Other software may have stored numbers. */
  query: Record<string, string | number>
  framework_through_key: number
  created_at: Date
  updated_at: Date
}

export interface RailCollectionDocument extends Imported, Omit<RailDocument, 'id'> {
  _id: number
  rails: RailDocument[]
}

const railFields = {
  name: text,
  mname: text,
  query: { bsonType: 'object', additionalProperties: { bsonType: ['string', 'int', 'long', 'double'] } },
  framework_through_key: id,
  created_at: date,
  updated_at: date
}
export const railCollectionValidator = validatorOf<Omit<RailCollectionDocument, keyof Imported>>({
  ...railFields,
  _id: id,
  rails: listOf(objectOf<RailDocument>({ ...railFields, id }))
})

/** Other software may have stored longer lists than GET /contents accepts. */
export const withinLimits = (query: RailDocument['query']) =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, name === 'search' ? `${value}` : `${value}`.split(',', maxValues).join()])
  )

/** `contentsUrl` is the absolute URL of GET /contents. */
export const toRail = (
  { id, name, mname, query, framework_through_key, created_at, updated_at }: RailDocument,
  contentsUrl: string
): Rail => ({
  id,
  name,
  mname,
  endpoint: `${contentsUrl}?${new URLSearchParams(withinLimits(query))}`,
  created_at: timestamp(created_at),
  updated_at: timestamp(updated_at),
  framework_through_key
})
