import type { Db } from 'mongodb'
import type { ExportedWatchlistElement } from '../../schemas/export.js'
import type { PageQuery } from '../../schemas/page.js'
import type { WatchlistElement } from '../../schemas/watchlist.js'
import type { IsShown } from '../catalogue/audience.js'
import { date, id, validatorOf } from '../database/bson-schema.js'
import { counterOf } from '../database/counters.js'
import { withRetries } from '../database/retry.js'
import { orThrow, watchlistElementNotFound } from '../errors.js'
import { integerId } from '../http/requests.js'
import { timestamp } from '../time.js'
import {
  addedNow,
  arrivalOfAdded,
  type ListDescription,
  type ListElement,
  type ListWrites,
  listFields,
  orElse,
  pageOf,
  removalOfAdded
} from './lists.js'

export interface WatchlistDocument extends ListElement {
  _id: number
  updated_at: Date
}

export const watchlistValidator = validatorOf<WatchlistDocument>({ ...listFields, _id: id, updated_at: date })

export const toExportedWatchlist = ({ _id, user_id, content_id, created_at, updated_at }: WatchlistDocument): ExportedWatchlistElement => ({
  id: _id,
  user_id,
  content_id,
  created_at: timestamp(created_at),
  updated_at: timestamp(updated_at)
})

export const toWatchlist = (element: WatchlistDocument, video_id: string): Omit<WatchlistElement, 'content'> => {
  const { id, user_id, content_id, ...dates } = toExportedWatchlist(element)
  return { id, user_id, content_id, video_id, ...dates }
}

export const watchlistElements = {
  name: 'watchlist',
  orderedBy: 'created_at',
  changedBy: ['arrived_at'],
  toEntry: toWatchlist,
  namesVideo: true,
  toExported: toExportedWatchlist,
  removal: removalOfAdded(['created_at', 'updated_at']),
  move: { dated: 'created_at', observed: 'updated_at', earliest: 'created_at', latest: 'asked_at', arrival: arrivalOfAdded }
} satisfies ListDescription

interface WatchlistFilter {
  content_id?: number[] | undefined
}

export const watchlistOf = (db: Db, { tell, remover }: ListWrites) => {
  const watchlist = db.collection<WatchlistDocument>('watchlist')
  const ids = counterOf(db, 'watchlist')

  return {
    list: (user_id: number, { content_id, ...page }: WatchlistFilter & PageQuery, isShown?: IsShown) =>
      pageOf(db, watchlist, { filter: { user_id, ...(content_id && { content_id: { $in: content_id } }) }, isShown }, page),

    /** An existing element keeps its dates. */
    add: async (user_id: number, content_id: number) => {
      const _id = await withRetries(ids.next)
      const added = { _id: orElse('_id', _id), ...addedNow, updated_at: orElse('updated_at', '$$NOW') }
      await withRetries(() => tell(user_id, () => watchlist.updateOne({ user_id, content_id }, [{ $set: added }], { upsert: true })))
    },

    remove: async (user_id: number, id: string, isShown?: IsShown) => {
      const _id = orThrow(integerId(id), watchlistElementNotFound)
      await remover.one(user_id, _id, watchlistElementNotFound, isShown)
    },

    removeAll: remover.all
  }
}
