import type { Db, Document, IndexDescription } from 'mongodb'
import { oldest } from '../../schemas/common.js'
import type { Content, Marker, OptionalContentFields } from '../../schemas/content.js'
import { wireFields } from '../../schemas/content-fields.js'
import type { Credit } from '../../schemas/people.js'
import { id, listOf, orNull as nullable, objectOf, ofWire, optional } from '../database/bson-schema.js'
import { isWireMoment, timestamp, wireYears } from '../time.js'
import { catalogueRead, type Imported, latestStampIn, stampIndex, writtenSince } from './kinds.js'

type Nullable<T> = { [Field in keyof T]: T[Field] | null }

/** The fields that are sent as they are stored. */
type SentAsStored = Omit<Content, 'id' | 'start_date' | 'end_date' | 'created_at' | 'updated_at' | keyof OptionalContentFields>

export interface StoredCredit extends Pick<Credit, 'role'> {
  person_id: number
  character?: string | null
}

export interface ContentDocument extends Imported, SentAsStored, Nullable<OptionalContentFields> {
  _id: number
  start_date: Date
  end_date: Date | null
  created_at: Date
  updated_at: Date
  /** Contents are marked as deleted but never removed, because histories and watchlists still show them. */
  deleted_at: Date | null
  terms: number[]
  /** Position among its siblings. */
  position: number | null
  replaces?: number[] | null
  credits?: StoredCredit[] | null
  /** The words that a search matches, made by `wordsOf`. */
  words: { names: string[]; keywords: string[]; description: string[] }
}

export const contentIndexes: IndexDescription[] = [
  stampIndex,
  // Covers only contents that replace others.
  { key: { replaces: 1 }, partialFilterExpression: { replaces: { $gt: 0 } } }
]

const text = { bsonType: 'string' }
const textOrNull = { bsonType: ['string', 'null'] }
const texts = { bsonType: 'object', additionalProperties: text }
const plan = { bsonType: 'object', required: ['id', 'vendor_name'], properties: { id: text, vendor_name: text } }
const credit = objectOf<StoredCredit>({ person_id: id, role: text, character: optional(nullable(text)) })
/** Beyond these, the driver returns a `long` as an object. */
const safe = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

const isNothing = (value: unknown) => value === null || value === undefined
const isText = (value: unknown) => typeof value === 'string'
const isNumber = (value: unknown) => typeof value === 'number'
const isNumberOrNothing = (value: unknown) => isNothing(value) || isNumber(value)
const isDurationOrNothing = (value: unknown) => isNothing(value) || (Number.isFinite(value) && (value as number) > 0)
const isWholeOrNothing = (least: number, most: number) => (value: unknown) =>
  isNothing(value) || (Number.isInteger(value) && (value as number) >= least && (value as number) <= most)
const isMomentOrNothing = (value: unknown) => isNothing(value) || isWireMoment(value)
const isListOrNothing = (isItem: (item: unknown) => boolean) => (value: unknown) =>
  isNothing(value) || (Array.isArray(value) && value.every(isItem))

const isMarker = (value: unknown) => {
  const { type, start, end } = Object(value) as Record<keyof Marker, unknown>
  return isText(type) && Number.isFinite(start) && (isNothing(end) || Number.isFinite(end))
}

const asStored = <T>(value: T) => value
const orNull = <T>(value: T | null | undefined) => value ?? null
/** A field without a value is left out. */
const ifAny = <T>(value: T | null | undefined) => value ?? undefined
/** Used by the import, and again when markers are sent, because other software may not have sorted them. */
export const byStart = (markers: Marker[] | null | undefined) =>
  markers?.length ? markers.toSorted((one, other) => one.start - other.start) : undefined
const momentOrNull = (value: Date | null | undefined) => (value ? timestamp(value) : null)

/** When the last credits begin, in seconds. Earlier ones are followed by more of the item. */
export const creditsOf = ({ markers }: Pick<ContentDocument, 'markers'>) => {
  const starts = (markers ?? []).flatMap(({ type, start }) => (type === 'credits' ? start : []))
  return starts.length > 0 ? Math.max(...starts) : null
}

/** The duration, and when the credits begin, in seconds, as far as the document has valid values. */
export const lengthsOf = ({ duration, markers }: Pick<ContentDocument, 'duration' | 'markers'>) => ({
  duration: isDurationOrNothing(duration) ? (duration ?? undefined) : undefined,
  credits: isListOrNothing(isMarker)(markers) ? (creditsOf({ markers: markers ?? null }) ?? undefined) : undefined
})

/** How to check a value that other software may have written: in memory if it is in the skeleton, otherwise in the database. */
type Check = { inSkeleton: (value: unknown) => boolean } | { required: Document } | { optional: Document } | { query: Document }

type Fields = {
  [Name in Exclude<keyof Content, 'id'>]-?: Check & { sent: (value: ContentDocument[Name]) => Content[Name] }
} & Record<'deleted_at' | 'terms' | 'position' | 'replaces' | 'credits' | 'stamp', Check>

const optionalNames = Object.keys(wireFields) as (keyof OptionalContentFields)[]

/** For the optional fields, unless `fields` says otherwise. */
const optionalFields = Object.fromEntries(
  optionalNames.map(name => [name, { optional: nullable(ofWire(wireFields[name])), sent: ifAny }])
) as unknown as { [Name in keyof OptionalContentFields]-?: { optional: Document; sent: (value: ContentDocument[Name]) => Content[Name] } }

/**
 * How each field is checked and sent, in the order in which they are sent. An optional field that is held in memory is listed after
 * `optionalFields` once more, with the check of its column.
 */
const fields = {
  parent_id: { inSkeleton: isNumberOrNothing, sent: orNull },
  type: { inSkeleton: isText, sent: asStored },
  handler: { required: text, sent: asStored },
  handler_type: { required: text, sent: asStored },
  handler_id: { required: text, sent: asStored },
  name: { inSkeleton: isText, sent: asStored },
  title: { required: texts, sent: asStored },
  description: { required: texts, sent: asStored },
  weight: { inSkeleton: isNumberOrNothing, sent: orNull },
  thumbnail: { required: text, sent: asStored },
  thumbnail_handler: { required: text, sent: asStored },
  keywords: { required: text, sent: asStored },
  pricing: { optional: { bsonType: ['object', 'null'] }, sent: orNull },
  payments_asset_id: { optional: textOrNull, sent: orNull },
  purchaseable: { required: { bsonType: ['int', 'long', 'double'], ...safe }, sent: asStored },
  start_date: { inSkeleton: isWireMoment, sent: timestamp },
  end_date: { inSkeleton: isMomentOrNothing, sent: momentOrNull },
  countries_include: { inSkeleton: isListOrNothing(isText), sent: orNull },
  countries_exclude: { inSkeleton: isListOrNothing(isText), sent: orNull },
  created_at: { inSkeleton: isWireMoment, sent: timestamp },
  updated_at: { query: { $gte: wireYears.first, $lte: wireYears.last }, sent: timestamp },
  currency: { optional: textOrNull, sent: orNull },
  price: { optional: { bsonType: ['int', 'long', 'double', 'null'], ...safe }, sent: orNull },
  price_formatted: { optional: textOrNull, sent: orNull },
  plans: { required: { bsonType: 'object', additionalProperties: plan }, sent: asStored },
  link: { required: text, sent: asStored },
  ...optionalFields,
  duration: { inSkeleton: isDurationOrNothing, sent: ifAny },
  min_age: { inSkeleton: isWholeOrNothing(0, oldest), sent: ifAny },
  markers: { inSkeleton: isListOrNothing(isMarker), sent: byStart },
  year: { inSkeleton: isWholeOrNothing(0, Number.MAX_SAFE_INTEGER), sent: ifAny },
  // Not sent.
  deleted_at: { inSkeleton: isMomentOrNothing },
  terms: { inSkeleton: isListOrNothing(isNumber) },
  position: { inSkeleton: isNumberOrNothing },
  replaces: { inSkeleton: isListOrNothing(isNumber) },
  credits: { optional: nullable(listOf(credit)) },
  stamp: { inSkeleton: isWireMoment }
} satisfies Fields

type FieldName = keyof typeof fields
type InSkeleton = { [Name in FieldName]: (typeof fields)[Name] extends { inSkeleton: unknown } ? Name : never }[FieldName]
/** The fields of an item in the skeleton. */
export type SkeletonContent = Pick<ContentDocument, '_id' | InSkeleton> & {
  people?: number[]
}

interface AnyField {
  inSkeleton?: (value: unknown) => boolean
  required?: Document
  optional?: Document
  query?: Document
  sent?: (value: unknown) => unknown
}
const all = Object.entries(fields) as [FieldName, AnyField][]
const inSkeleton = all.flatMap(([name, field]) => (field.inSkeleton ? [{ name: name as InSkeleton, isRight: field.inSkeleton }] : []))
const sent = all.flatMap(([name, field]) => (field.sent ? [{ name, toWire: field.sent }] : []))

/** The part of the check that the database does. */
const servableFilter: Document = {
  $jsonSchema: {
    required: all.flatMap(([name, { required }]) => (required ? [name] : [])),
    properties: Object.fromEntries(
      all.flatMap(([name, { required, optional }]) => (required || optional ? [[name, required ?? optional]] : []))
    )
  },
  ...Object.fromEntries(all.flatMap(([name, { query }]) => (query ? [[name, query]] : [])))
}

/** The part that is done in memory. */
export const fitsSkeleton = (content: SkeletonContent) =>
  Number.isSafeInteger(content._id) && inSkeleton.every(({ name, isRight }) => isRight(content[name]))

/** The optional fields, with null for those without a value, including empty lists. */
export const withNulls = (content: { [Name in keyof OptionalContentFields]?: OptionalContentFields[Name] | null }) =>
  Object.fromEntries(
    optionalNames.map(name => {
      const value = content[name] ?? null
      return [name, Array.isArray(value) && value.length === 0 ? null : value]
    })
  ) as Required<Nullable<OptionalContentFields>>

export const toContent = (content: ContentDocument) => {
  const wire: Record<string, unknown> = { id: content._id }
  for (const { name, toWire } of sent) {
    const value = toWire(content[name])
    if (value !== undefined) wire[name] = value
  }
  // Complete, because `fields` has every field of `Content`.
  return wire as Content
}

const skeletonProjection = { ...Object.fromEntries(inSkeleton.map(({ name }) => [name, 1])), people: '$credits.person_id' }

/** The fields of an item in the search index. */
type ContentWords = Pick<ContentDocument, '_id' | 'words'>

export const contentsOf = (db: Db) => {
  const contents = db.collection<ContentDocument>('contents')
  return {
    /** A cursor, because decoding many contents at once blocks the event loop. */
    byIds: (ids: number[], projection: Document = { words: 0, digest: 0 }) => contents.find({ _id: { $in: ids } }, { projection }),
    /** The contents that can be served: all, or those written since a moment. */
    forSkeleton: (since?: Date) =>
      contents.find<SkeletonContent>(
        { ...writtenSince(since), ...servableFilter },
        { ...catalogueRead, projection: skeletonProjection, batchSize: 2000 }
      ),
    latestStamp: () => latestStampIn(db, 'contents'),
    /** The ids of contents that cannot be served: of all, or of those written since a moment. */
    unservable: async (since?: Date) => {
      const filter = { ...writtenSince(since), $nor: [servableFilter] }
      const found = await contents.find(filter, { ...catalogueRead, projection: { _id: 1 } }).toArray()
      return found.map(({ _id }) => _id)
    },
    keywords: () =>
      contents.find<Pick<ContentDocument, '_id' | 'keywords'>>(
        { keywords: { $type: 'string', $ne: '' } },
        { ...catalogueRead, projection: { keywords: 1 }, batchSize: 2000 }
      ),
    /** An estimate that includes contents that cannot be served. */
    size: () => contents.estimatedDocumentCount(),
    /** The words of these contents, or of all. In small batches, because decoding them blocks the event loop. */
    words: (ids?: number[]) =>
      contents.find<ContentWords>(ids ? { _id: { $in: ids } } : {}, { ...catalogueRead, projection: { words: 1 }, batchSize: 200 })
  }
}
