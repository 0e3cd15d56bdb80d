import { type Static, Type } from '@sinclair/typebox'
import { HiddenTitle } from './hidden.js'
import { HistoryProgress } from './history.js'
import { maxCursorLength } from './lists.js'
import { NullableContentId, PreferencesEntry } from './preferences.js'
import { RatedTitle } from './rating.js'
import { WatchlistElement } from './watchlist.js'

const WatchlistEntry = Type.Omit(WatchlistElement, ['content'], { $id: 'WatchlistEntry' })
const HiddenEntry = Type.Omit(HiddenTitle, ['content'], { $id: 'HiddenEntry' })
const RatingEntry = Type.Omit(RatedTitle, ['content'], { $id: 'RatingEntry' })

const contentIds = (list: string) => Type.Array(Type.Integer(), { description: `Ids of the content items that were removed from ${list}` })

export const Changes = Type.Object(
  {
    history: Type.Array(HistoryProgress),
    watchlist: Type.Array(WatchlistEntry),
    hidden: Type.Array(HiddenEntry),
    ratings: Type.Array(RatingEntry),
    preferences: Type.Array(PreferencesEntry),
    removed: Type.Object(
      {
        history: contentIds('the history'),
        watchlist: contentIds('the watchlist'),
        hidden: contentIds('the list of hidden titles'),
        ratings: contentIds('the list of ratings'),
        preferences: Type.Array(NullableContentId)
      },
      { $id: 'RemovedContents', description: 'Apply these before the elements' }
    ),
    cursor: Type.String({ description: '`since` of the next request' }),
    more: Type.Boolean({ description: 'Whether to send the next request immediately' }),
    reset: Type.Boolean({
      description:
        'Whether to discard the copy first, because `since` was too old, older than a restore or a change of the age limit, or not a cursor of this user'
    })
  },
  { $id: 'Changes' }
)
export type Changes = Static<typeof Changes>

const examples = ['WzcsMTc2MzkwMDAwMDAwMCwtMSwwLDAsMTc2MzkwMDAwMDAwMCwwLDBd']
const Cursor = (description: string) => Type.Optional(Type.String({ maxLength: maxCursorLength, description, examples }))

export const StreamQuery = Type.Object({ since: Cursor('The cursor to start from. By default, the stream starts now') })
export const StreamHeaders = Type.Object({ 'last-event-id': Cursor('Takes precedence over `since`') })

export const ChangesQuery = Type.Object({
  since: Cursor('The `cursor` of the last response. Without it, the response begins with the oldest elements'),
  perPage: Type.Integer({ minimum: 1, maximum: 500, default: 100, description: 'Changes per response, removals included' })
})
