import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox'
import { Nullable, oldest } from './common.js'
import { Country, ImageUrl, LabelOf, ListOf, lineFields, OneOf } from './content-fields.js'
import { creditRoles } from './people.js'
import { preferenceFields } from './preferences.js'
import { Rating } from './rating.js'

/** Integers are exact below 2^53. The counters continue from the largest imported id, and need to count up to 2^32 more. */
export const largestId = 2 ** 53 - 2 ** 32

const Id = Type.Integer({ minimum: 1, maximum: largestId })
const Whole = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })
const Age = Nullable(Type.Integer({ minimum: 0, maximum: oldest }))
const Text = Type.String()
const SomeText = Type.String({ minLength: 1 })
const Moment = Type.String({ format: 'date-time' })
const Word = Type.String({ pattern: '^[A-Za-z0-9_-]+$', 'x-rule': 'a word of letters, digits, - and _' })
const languageTag = '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$'
const Language = Type.String({ pattern: languageTag, 'x-rule': 'a language code like en or en-us' })
const Countries = Nullable(Type.Array(Country, { 'x-rule': 'a list of country codes' }))
const Texts = Type.Unsafe<Record<string, string>>({
  type: 'object',
  propertyNames: { pattern: languageTag, 'x-rule': 'a language code like en or en-us' },
  additionalProperties: Text,
  'x-rule': 'an object from language codes to strings'
})

/** A record with no other fields. */
const Closed = <T extends TProperties>(properties: T) => Type.Object(properties, { additionalProperties: false })

const times = { created_at: Type.Optional(Moment), updated_at: Type.Optional(Moment) }

const Plan = Closed({ id: Text, vendor_name: Text })

const Credit = Closed({ person_id: Id, role: OneOf(creditRoles), character: Type.Optional(Nullable(LabelOf(200))) })

export const ContentRecord = Closed({
  id: Id,
  type: Word,
  name: Text,
  parent_id: Type.Optional(Nullable(Id)),
  handler: Type.Optional(Text),
  handler_type: Type.Optional(Text),
  handler_id: Type.Optional(Text),
  title: Type.Optional(Texts),
  description: Type.Optional(Texts),
  weight: Type.Optional(Nullable(Whole)),
  thumbnail: Type.Optional(Text),
  thumbnail_handler: Type.Optional(Text),
  keywords: Type.Optional(Text),
  pricing: Type.Optional(Nullable(Type.Unsafe<Record<string, unknown>>({ type: 'object' }))),
  payments_asset_id: Type.Optional(Nullable(Text)),
  purchaseable: Type.Optional(Whole),
  start_date: Type.Optional(Moment),
  end_date: Type.Optional(Nullable(Moment)),
  countries_include: Type.Optional(Countries),
  countries_exclude: Type.Optional(Countries),
  currency: Type.Optional(Nullable(Text)),
  price: Type.Optional(Nullable(Type.Number())),
  price_formatted: Type.Optional(Nullable(Text)),
  plans: Type.Optional(
    Type.Unsafe<Record<string, Static<typeof Plan>>>({ type: 'object', additionalProperties: Plan, 'x-rule': 'an object of plans' })
  ),
  link: Type.Optional(Text),
  terms: Type.Optional(Type.Array(Id, { 'x-rule': 'a list of term ids' })),
  position: Type.Optional(Nullable(Whole)),
  replaces: Type.Optional(Type.Array(Id, { maxItems: 1000, 'x-rule': 'a list of at most 1,000 ids' })),
  ...lineFields,
  credits: Type.Optional(Nullable(ListOf(Credit, 200, 'credits'))),
  deleted_at: Type.Optional(Nullable(Moment)),
  ...times
})
export type ContentRecord = Static<typeof ContentRecord>

export const TermRecord = Closed({ id: Type.Optional(Id), vendor_id: SomeText, name: Text, taxonomy: SomeText, ...times })
export type TermRecord = Static<typeof TermRecord>

export const PersonRecord = Closed({ id: Id, name: LabelOf(200), image: Type.Optional(Nullable(ImageUrl)), ...times })
export type PersonRecord = Static<typeof PersonRecord>

const rail = {
  id: Id,
  name: Text,
  mname: Text,
  query: Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-rule': 'an object of GET /contents parameters' }),
  framework_through_key: Type.Optional(Id),
  ...times
}
export const RailRecord = Closed(rail)
export type RailRecord = Static<typeof RailRecord>

export const RailCollectionRecord = Closed({ ...rail, rails: Type.Optional(Type.Array(RailRecord, { 'x-rule': 'a list of rails' })) })
export type RailCollectionRecord = Static<typeof RailCollectionRecord>

export const LegalRecord = Closed({
  language: Language,
  title: Type.Optional(Text),
  sections: Type.Array(Closed({ title: Type.Optional(Text), content: Type.Optional(Text) }), { 'x-rule': 'a list of sections' }),
  ...times
})
export type LegalRecord = Static<typeof LegalRecord>

export const ProgrammeRecord = Closed({ id: Id, channel: SomeText, starts_at: Moment, ends_at: Moment, content_id: Id, ...times })
export type ProgrammeRecord = Static<typeof ProgrammeRecord>

export const SupportTextRecord = Closed({
  id: Id,
  context: SomeText,
  language: Language,
  title: Type.Optional(Text),
  content: Type.Optional(Text),
  ...times
})
export type SupportTextRecord = Static<typeof SupportTextRecord>

export const emailPattern = '^[^\\s@]+@[^\\s@]+$'

export const UserRecord = Closed({
  id: Id,
  email: Type.Optional(Type.String({ pattern: emailPattern, maxLength: 320, 'x-rule': 'an e-mail address of at most 320 characters' })),
  name: Type.Optional(Text),
  password_hash: Type.Optional(SomeText),
  sub: Type.Optional(SomeText),
  account_id: Type.Optional(Id),
  max_age: Type.Optional(Age),
  pin_hash: Type.Optional(SomeText),
  ...times
})
export type UserRecord = Static<typeof UserRecord>

export const HistoryRecord = Closed({
  _id: Type.Optional(Type.String({ pattern: '^[0-9a-f]{24}$', 'x-rule': 'an id of 24 lowercase hexadecimal characters' })),
  user_id: Id,
  content_id: Id,
  time: Type.Optional(Type.Number({ minimum: 0 })),
  percentage: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
  plays: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  watched_at: Type.Optional(Nullable(Moment)),
  played_at: Type.Optional(Type.Array(Moment, { maxItems: 366 })),
  previous: Type.Optional(
    Nullable(Closed({ time: Type.Number({ minimum: 0 }), percentage: Type.Number({ minimum: 0, maximum: 100 }), observed_at: Moment }))
  ),
  ...times
})
export type HistoryRecord = Static<typeof HistoryRecord>

export const WatchlistRecord = Closed({ id: Type.Optional(Id), user_id: Id, content_id: Id, ...times })
export type WatchlistRecord = Static<typeof WatchlistRecord>

export const HiddenRecord = Closed({ user_id: Id, content_id: Id, created_at: Type.Optional(Moment) })
export type HiddenRecord = Static<typeof HiddenRecord>

export const RatingRecord = Closed({ user_id: Id, content_id: Id, rating: Rating, created_at: Type.Optional(Moment) })
export type RatingRecord = Static<typeof RatingRecord>

export const PreferencesRecord = Closed({ user_id: Id, content_id: Nullable(Id), ...preferenceFields, updated_at: Type.Optional(Moment) })
export type PreferencesRecord = Static<typeof PreferencesRecord>

/** The record of each import file, by the file's name without its extension. */
export const importRecords = {
  users: UserRecord,
  terms: TermRecord,
  people: PersonRecord,
  contents: ContentRecord,
  'rail-collections': RailCollectionRecord,
  legal: LegalRecord,
  schedule: ProgrammeRecord,
  'support-texts': SupportTextRecord,
  history: HistoryRecord,
  watchlist: WatchlistRecord,
  hidden: HiddenRecord,
  ratings: RatingRecord,
  preferences: PreferencesRecord
} satisfies Record<string, TObject>
export type ImportKind = keyof typeof importRecords
/** In import order: records precede those that refer to them. */
export const importKinds = Object.keys(importRecords) as ImportKind[]

// An import over HTTP

export const ImportQuery = Type.Object({
  prune: Type.Boolean({ default: false }),
  check: Type.Boolean({ default: false })
})

export const ImportCounts = Type.Object({
  added: Type.Integer(),
  changed: Type.Integer(),
  unchanged: Type.Integer(),
  removed: Type.Integer(),
  warnings: Type.Array(Type.Object({ line: Type.Integer(), field: Type.String(), message: Type.String() }))
})
