import type { Db, IndexDescription } from 'mongodb'
import type { Content, OptionalContentFields } from '../../schemas/content.js'
import { seconds, timestamp } from '../time.js'
import { catalogueRead, type Imported } from './catalogue.js'
import { servableFilter } from './content-shape.js'

type Nullable<T> = { [Field in keyof T]: T[Field] | null }

export interface ContentDocument extends Imported, Nullable<OptionalContentFields> {
  _id: number
  parent_id: number | null
  type: string
  handler: string
  handler_type: string
  handler_id: string
  name: string
  title: Record<string, string>
  description: Record<string, string>
  weight: number | null
  thumbnail: string
  thumbnail_handler: string
  keywords: string
  pricing: Record<string, unknown> | null
  payments_asset_id: string | null
  purchaseable: number
  start_date: Date
  end_date: Date | null
  countries_include: string[] | null
  countries_exclude: string[] | null
  created_at: Date
  updated_at: Date
  currency: string | null
  price: number | null
  price_formatted: string | null
  plans: Record<string, { id: string; vendor_name: string }>
  link: string
  /** Contents are marked as deleted and never removed, because histories and watchlists still show them. */
  deleted_at: Date | null
  terms: number[]
  /** Position among its siblings. */
  position: number | null
  /** The words that a search matches, made by `wordsOf`. */
  words: string[]
}

export const contentIndexes: IndexDescription[] = [{ key: { stamp: 1 } }]

export const noOptionalFields: Record<keyof OptionalContentFields, null> = {
  duration: null,
  min_age: null,
  season: null,
  episode: null,
  external_ids: null
}
const optionalNames = Object.keys(noOptionalFields) as (keyof OptionalContentFields)[]

/** Those of the optional fields that have a value. */
export const optionalFields = (content: Nullable<OptionalContentFields>): OptionalContentFields =>
  Object.fromEntries(optionalNames.flatMap(name => ((content[name] ?? null) === null ? [] : [[name, content[name]]])))

/** Nullable fields may be missing in documents that an older version or other software wrote. */
export const toContent = (content: ContentDocument): Content => ({
  id: content._id,
  parent_id: content.parent_id ?? null,
  type: content.type,
  handler: content.handler,
  handler_type: content.handler_type,
  handler_id: content.handler_id,
  name: content.name,
  title: content.title,
  description: content.description,
  weight: content.weight ?? null,
  thumbnail: content.thumbnail,
  thumbnail_handler: content.thumbnail_handler,
  keywords: content.keywords,
  pricing: content.pricing ?? null,
  payments_asset_id: content.payments_asset_id ?? null,
  purchaseable: content.purchaseable,
  start_date: timestamp(content.start_date),
  end_date: content.end_date ? timestamp(content.end_date) : null,
  countries_include: content.countries_include ?? null,
  countries_exclude: content.countries_exclude ?? null,
  created_at: timestamp(content.created_at),
  updated_at: timestamp(content.updated_at),
  currency: content.currency ?? null,
  price: content.price ?? null,
  price_formatted: content.price_formatted ?? null,
  plans: content.plans,
  link: content.link,
  ...optionalFields(content)
})

const skeletonFields = {
  parent_id: 1,
  type: 1,
  name: 1,
  weight: 1,
  start_date: 1,
  end_date: 1,
  countries_include: 1,
  countries_exclude: 1,
  created_at: 1,
  deleted_at: 1,
  terms: 1,
  position: 1,
  duration: 1,
  min_age: 1,
  stamp: 1
} as const
/** What the skeleton holds of each content. */
export type SkeletonContent = Pick<ContentDocument, '_id' | keyof typeof skeletonFields>

/** What the search index holds of each content. */
export type ContentWords = Pick<ContentDocument, '_id' | 'words'>

const writtenSince = (moment: Date | undefined) => (moment ? { stamp: { $gte: moment } } : {})

export const contentsOf = (db: Db) => {
  const contents = db.collection<ContentDocument>('contents')
  return {
    byIds: (ids: number[]) => contents.find({ _id: { $in: ids } }, { projection: { words: 0, digest: 0 } }).toArray(),
    /** The contents that can be served: all, or those written since a moment. */
    forSkeleton: (since?: Date) =>
      contents.find<SkeletonContent>(
        { ...writtenSince(since), ...servableFilter },
        { ...catalogueRead, projection: skeletonFields, batchSize: 2000 }
      ),
    /** The ids of contents that cannot be served: of all, or of those written since a moment. */
    unservable: async (since?: Date) => {
      const filter = { ...writtenSince(since), $nor: [servableFilter] }
      const found = await contents
        .find(filter, { readConcern: catalogueRead.readConcern, timeoutMS: seconds(20), projection: { _id: 1 } })
        .toArray()
      return found.map(({ _id }) => _id)
    },
    /** The keywords of all contents that have any. */
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
