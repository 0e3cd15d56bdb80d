import type { Document } from 'mongodb'
import type { OptionalContentFields } from '../../schemas/content.js'
import { wireYears } from '../time.js'

// The form that every imported content has. Other software may have written contents without it.

const text = { bsonType: 'string' }
const textOrNull = { bsonType: ['string', 'null'] }
const texts = { bsonType: 'object', additionalProperties: text }
const plan = { bsonType: 'object', required: ['id', 'vendor_name'], properties: { id: text, vendor_name: text } }
/** Beyond these, the driver returns a `long` as an object. */
const safe = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

/** Required fields that the skeleton does not hold. */
const sent = {
  handler: text,
  handler_type: text,
  handler_id: text,
  thumbnail: text,
  thumbnail_handler: text,
  keywords: text,
  link: text,
  title: texts,
  description: texts,
  plans: { bsonType: 'object', additionalProperties: plan },
  purchaseable: { bsonType: ['int', 'long', 'double'], ...safe }
}
const wholeOrNull = { bsonType: ['int', 'long', 'double', 'null'], minimum: 0, multipleOf: 1 }
const nullable = {
  pricing: { bsonType: ['object', 'null'] },
  payments_asset_id: textOrNull,
  currency: textOrNull,
  price: { bsonType: ['int', 'long', 'double', 'null'], ...safe },
  price_formatted: textOrNull
}
/** Without the duration and the minimum age, which the skeleton holds: `fitsSkeleton` checks them. */
const optional: Record<Exclude<keyof OptionalContentFields, 'duration' | 'min_age'>, Document> = {
  season: { ...wholeOrNull, maximum: safe.maximum },
  episode: { ...wholeOrNull, maximum: safe.maximum },
  external_ids: { bsonType: ['object', 'null'], additionalProperties: text }
}

/** Checked by the database: reading these fields of all contents would take three times as long. */
export const servableFilter: Document = {
  $jsonSchema: { required: Object.keys(sent), properties: { ...sent, ...nullable, ...optional } },
  updated_at: { $gte: wireYears.first, $lte: wireYears.last }
}
