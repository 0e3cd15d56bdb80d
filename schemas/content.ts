import { type Static, Type } from '@sinclair/typebox'
import { Nullable, oldest, Timestamp } from './common.js'

const Texts = Type.Record(Type.String(), Type.String(), {
  description: 'Texts by language code',
  examples: [{ en: 'The Long Ridge', de: 'Der lange Grat' }]
})
const Countries = Nullable(Type.Array(Type.String({ description: 'ISO 3166 country code' })))

const Plan = Type.Object({ id: Type.String(), vendor_name: Type.String() }, { $id: 'Plan' })

export const markerTypes = ['intro', 'recap', 'credits', 'preview'] as const

const Marker = Type.Object(
  {
    type: Type.Unsafe<(typeof markerTypes)[number]>({ type: 'string', enum: [...markerTypes] }),
    start: Type.Number({ description: 'In seconds', examples: [12] }),
    end: Nullable(Type.Number({ description: 'In seconds. Null if it lasts to the end', examples: [55] }))
  },
  { $id: 'Marker' }
)
export type Marker = Static<typeof Marker>

/** Sent only if the item has them. */
const optional = Type.Object({
  duration: Type.Optional(Type.Number({ description: 'Length in seconds, above 0', examples: [5400] })),
  min_age: Type.Optional(Type.Integer({ minimum: 0, maximum: oldest, description: 'Minimum age of the viewer', examples: [12] })),
  season: Type.Optional(Type.Integer({ minimum: 0, description: 'Number of the season', examples: [1] })),
  episode: Type.Optional(Type.Integer({ minimum: 0, description: 'Number of the episode in its season', examples: [2] })),
  external_ids: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'Ids in other catalogues, by provider', examples: [{ imdb: 'tt0000001' }] })
  ),
  markers: Type.Optional(Type.Array(Marker, { description: 'Parts that players offer to skip, by `start`' }))
})
export type OptionalContentFields = Static<typeof optional>
export const optionalContentFields = Object.keys(optional.properties) as (keyof OptionalContentFields)[]

export const Content = Type.Object(
  {
    id: Type.Integer(),
    parent_id: Nullable(Type.Integer({ description: 'Id of the parent, for example the show of an episode' })),
    type: Type.String({ examples: ['show', 'episode'] }),
    handler: Type.String({ description: 'Video platform that hosts the media' }),
    handler_type: Type.String({ description: 'Kind of media object on that platform' }),
    handler_id: Type.String({ description: 'Id of the media object on that platform' }),
    name: Type.String(),
    title: Texts,
    description: Texts,
    weight: Nullable(Type.Integer()),
    thumbnail: Type.String(),
    thumbnail_handler: Type.String(),
    keywords: Type.String(),
    pricing: Nullable(Type.Object({}, { additionalProperties: true })),
    payments_asset_id: Nullable(Type.String()),
    purchaseable: Type.Integer(),
    start_date: Timestamp,
    end_date: Nullable(Timestamp),
    countries_include: Countries,
    countries_exclude: Countries,
    created_at: Timestamp,
    updated_at: Timestamp,
    currency: Nullable(Type.String()),
    price: Nullable(Type.Number()),
    price_formatted: Nullable(Type.String()),
    plans: Type.Record(Type.String(), Plan),
    link: Type.String({ description: 'URL of the item in the web front end' }),
    ...optional.properties
  },
  { $id: 'Content' }
)
export type Content = Static<typeof Content>

/** A term as the page of a title shows it. */
export const ContentTerm = Type.Object(
  { id: Type.Integer(), name: Type.String(), taxonomy: Type.String({ examples: ['category', 'discipline'] }) },
  { $id: 'ContentTerm' }
)
export type ContentTerm = Static<typeof ContentTerm>

/** What lists leave out. */
export const ContentDetails = Type.Composite(
  [Content, Type.Object({ terms: Type.Array(ContentTerm, { description: 'Taxonomy terms of the item itself' }) })],
  { $id: 'ContentDetails' }
)
export type ContentDetails = Static<typeof ContentDetails>
