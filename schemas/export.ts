import { type Static, Type } from '@sinclair/typebox'
import { Nullable, Timestamp } from './common.js'
import { HistoryProgress } from './history.js'
import { PreferencesEntry } from './preferences.js'
import { Rating } from './rating.js'

const times = { created_at: Timestamp, updated_at: Timestamp }
const pair = { user_id: Type.Integer(), content_id: Type.Integer() }

export const ExportedUser = Type.Object(
  {
    id: Type.Integer(),
    email: Type.Optional(Type.String()),
    name: Type.String(),
    sub: Type.Optional(Type.String({ description: 'The subject at the identity provider' })),
    account_id: Type.Optional(Type.Integer()),
    max_age: Type.Optional(Type.Integer()),
    ...times
  },
  { $id: 'ExportedUser' }
)
export type ExportedUser = Static<typeof ExportedUser>

export const ExportedHistory = Type.Object(
  {
    ...HistoryProgress.properties,
    played_at: Type.Array(Timestamp, { description: 'When the item was completed, as far as known: the latest 366 times' })
  },
  { $id: 'ExportedHistory' }
)
export type ExportedHistory = Static<typeof ExportedHistory>

export const ExportedWatchlistElement = Type.Object({ id: Type.Integer(), ...pair, ...times }, { $id: 'ExportedWatchlistElement' })
export type ExportedWatchlistElement = Static<typeof ExportedWatchlistElement>

export const ExportedHidden = Type.Object({ ...pair, created_at: Timestamp }, { $id: 'ExportedHidden' })

export const ExportedRating = Type.Object({ ...pair, rating: Rating, created_at: Timestamp }, { $id: 'ExportedRating' })

export const ExportedPreferences = Type.Object({ user_id: Type.Integer(), ...PreferencesEntry.properties }, { $id: 'ExportedPreferences' })

export const ExportedSeen = Type.Object({ ...pair, seen_at: Type.Array(Timestamp) }, { $id: 'ExportedSeen' })
export type ExportedSeen = Static<typeof ExportedSeen>

export const ExportedSession = Type.Object(
  { id: Type.String(), device: Nullable(Type.String()), created_at: Timestamp, last_used_at: Timestamp },
  { $id: 'ExportedSession' }
)
export type ExportedSession = Static<typeof ExportedSession>

/** All lists but `seen` and `sessions` are named after an import file, which accepts their elements. */
export const Export = Type.Object(
  {
    users: Type.Array(ExportedUser, { description: 'The account and its profiles' }),
    history: Type.Array(ExportedHistory),
    watchlist: Type.Array(ExportedWatchlistElement),
    hidden: Type.Array(ExportedHidden),
    ratings: Type.Array(ExportedRating),
    preferences: Type.Array(ExportedPreferences, { description: 'Languages, in general and by title' }),
    seen: Type.Array(ExportedSeen, { description: 'Which titles were seen, and not begun. For information only' }),
    sessions: Type.Array(ExportedSession, { description: 'Where the account is signed in. For information only' }),
    exported_at: { ...Timestamp, description: 'When the export was made' }
  },
  { $id: 'Export' }
)
export type Export = Static<typeof Export>
