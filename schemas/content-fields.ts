import { type TArray, type TOptional, type TSchema, Type } from '@sinclair/typebox'
import { Nullable, oldest } from './common.js'

export const markerTypes = ['intro', 'recap', 'credits', 'preview'] as const
const imageKinds = ['poster', 'backdrop', 'thumbnail', 'logo', 'still'] as const

export const OneOf = <const V extends string>(values: readonly V[]) => Type.Unsafe<V>({ type: 'string', enum: [...values] })
const Line = <T extends Record<string, TSchema>>(properties: T) => Type.Object(properties, { additionalProperties: false })
export const ListOf = <T extends TSchema>(items: T, maxItems: number, what: string): TArray<T> =>
  Type.Array(items, { maxItems, 'x-rule': `a list of at most ${maxItems} ${what}` })

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Second = Type.Number({ minimum: 0, 'x-rule': 'a number of seconds from 0' })
export const LabelOf = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const Pixels = Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }))
export const Country = Type.String({ pattern: '^[A-Za-z]{2}$', 'x-rule': 'an ISO 3166 code of two letters' })
export const ImageUrl = Type.String({
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#]+[^\\s]*$',
  format: 'url',
  maxLength: 2000,
  'x-rule': 'an http or https URL of at most 2000 characters'
})

const Marker = Type.Object(
  {
    type: OneOf(markerTypes),
    start: Type.Number({ description: 'In seconds', examples: [12] }),
    end: Nullable(Type.Number({ description: 'In seconds. Null if it lasts to the end', examples: [55] }))
  },
  { $id: 'Marker' }
)
const Image = Type.Object(
  {
    kind: OneOf(imageKinds),
    url: Type.String({ examples: ['https://images.example.com/1405/poster.jpg'] }),
    width: Type.Optional(Type.Integer({ description: 'In pixels', examples: [1000] })),
    height: Type.Optional(Type.Integer({ description: 'In pixels', examples: [1500] }))
  },
  { $id: 'Image' }
)
const AgeRating = Type.Object(
  {
    country: Type.String({ description: 'ISO 3166 country code', examples: ['US'] }),
    system: Type.String({ examples: ['MPAA'] }),
    value: Type.String({ examples: ['PG-13'] })
  },
  { $id: 'AgeRating' }
)

/**
 * The optional fields of contents. `line` is what an import accepts, and `wire` what apps receive, if there is a value. Import, storage,
 * checks and responses are derived from these entries.
 */
export const contentFields = {
  duration: {
    line: Type.Number({ exclusiveMinimum: 0, 'x-rule': 'a number above 0' }),
    wire: Type.Number({ description: 'Length in seconds, above 0', examples: [5400] })
  },
  min_age: {
    line: Type.Integer({ minimum: 0, maximum: oldest }),
    wire: Type.Integer({ minimum: 0, maximum: oldest, description: 'Minimum age of the viewer', examples: [12] })
  },
  season: { line: Count, wire: Type.Integer({ minimum: 0, description: 'Number of the season', examples: [1] }) },
  episode: { line: Count, wire: Type.Integer({ minimum: 0, description: 'Number of the episode in its season', examples: [2] }) },
  external_ids: {
    line: Type.Unsafe<Record<string, string>>({
      type: 'object',
      propertyNames: { minLength: 1, maxLength: 100, 'x-rule': 'a name of 1 to 100 characters' },
      additionalProperties: Type.String({ minLength: 1, maxLength: 200 }),
      maxProperties: 20,
      'x-rule': 'an object from at most 20 providers to ids'
    }),
    wire: Type.Record(Type.String(), Type.String(), {
      description: 'Ids in other catalogues, by provider',
      examples: [{ imdb: 'tt0000001' }]
    })
  },
  markers: {
    line: ListOf(Line({ type: OneOf(markerTypes), start: Second, end: Type.Optional(Nullable(Second)) }), 20, 'markers'),
    wire: Type.Array(Marker, { description: 'Parts that players offer to skip, by `start`' })
  },
  year: {
    line: Type.Integer({ minimum: 1870, maximum: 2200 }),
    wire: Type.Integer({ description: 'Year of the first release', examples: [2024] })
  },
  images: {
    line: ListOf(Line({ kind: OneOf(imageKinds), url: ImageUrl, width: Pixels, height: Pixels }), 20, 'images'),
    wire: Type.Array(Image, { description: 'Pictures for different places in an app. `thumbnail` is the one that every item has' })
  },
  age_ratings: {
    line: ListOf(Line({ country: Country, system: LabelOf(40), value: LabelOf(40) }), 60, 'ratings'),
    wire: Type.Array(AgeRating, { description: 'Ratings by national systems. Only `min_age` limits profiles' })
  }
}

type ContentFields = typeof contentFields
type Mapped<Form extends 'line' | 'wire'> = { [Name in keyof ContentFields]: ContentFields[Name][Form] }
type Optional<T extends Record<string, TSchema>> = { [Name in keyof T]: TOptional<T[Name]> }

const mapped = (form: (field: { line: TSchema; wire: TSchema }) => TSchema): Record<string, TSchema> =>
  Object.fromEntries(Object.entries(contentFields).map(([name, field]) => [name, Type.Optional(form(field))]))

export const wireFields = mapped(({ wire }) => wire) as Optional<Mapped<'wire'>>
export const lineFields = mapped(({ line }) => Nullable(line)) as {
  [Name in keyof ContentFields]: TOptional<ReturnType<typeof Nullable<ContentFields[Name]['line']>>>
}
