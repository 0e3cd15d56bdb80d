import { type Static, Type } from '@sinclair/typebox'
import { Nullable, Timestamp } from './common.js'
import { wireFields } from './content-fields.js'
import { Credit } from './people.js'

const Texts = Type.Record(Type.String(), Type.String(), {
  description: 'Texts by language code',
  examples: [{ en: 'The Long Ridge', de: 'Der lange Grat' }]
})
const Countries = Nullable(Type.Array(Type.String({ description: 'ISO 3166 country code' })))

const Plan = Type.Object({ id: Type.String(), vendor_name: Type.String() }, { $id: 'Plan' })

const optional = Type.Object(wireFields)
export type OptionalContentFields = Static<typeof optional>
export type Marker = NonNullable<OptionalContentFields['markers']>[number]

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
    ...wireFields
  },
  { $id: 'Content' }
)
export type Content = Static<typeof Content>

/** A term in the details of an item. */
export const ContentTerm = Type.Object(
  { id: Type.Integer(), name: Type.String(), taxonomy: Type.String({ examples: ['category', 'discipline'] }) },
  { $id: 'ContentTerm' }
)
export type ContentTerm = Static<typeof ContentTerm>

/** An item with the fields that lists leave out. */
export const ContentDetails = Type.Composite(
  [
    Content,
    Type.Object({
      terms: Type.Array(ContentTerm, { description: 'Taxonomy terms of the item itself' }),
      credits: Type.Optional(Type.Array(Credit, { description: 'Cast and crew, in the order of the catalogue' }))
    })
  ],
  { $id: 'ContentDetails' }
)
export type ContentDetails = Static<typeof ContentDetails>
