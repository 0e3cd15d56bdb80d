import type { Collection, Db, IndexDescription } from 'mongodb'
import type { PageQuery } from '../../schemas/page.js'
import type { WatchlistElement } from '../../schemas/watchlist.js'
import { orThrow, watchlistElementNotFound } from '../errors.js'
import { integerId } from '../http/requests.js'
import { isWireMoment, timestamp } from '../time.js'
import { counterOf } from './counters.js'
import { withRetries } from './driver/retry.js'
import { type IsShown, orElse, pageOf } from './lists.js'
import { arrivalIfNew, arrivalIndex, removerOf } from './removals.js'

export interface WatchlistDocument {
  _id: number
  user_id: number
  content_id: number
  created_at: Date
  updated_at: Date
  /** When it was stored. An import brings an older `created_at`. */
  arrived_at?: Date
  /** When the user last added it, although it may have been there. A removal that began before leaves it there. */
  asked_at?: Date
}

export const watchlistIndexes: IndexDescription[] = [
  { key: { user_id: 1, content_id: 1 }, unique: true },
  { key: { user_id: 1, created_at: -1, _id: -1 } },
  arrivalIndex
]

/** Other software may have written elements without these fields. */
export const isServableWatchlist = ({ _id, user_id, content_id, created_at, updated_at }: WatchlistDocument) =>
  Number.isSafeInteger(_id) &&
  Number.isSafeInteger(user_id) &&
  Number.isSafeInteger(content_id) &&
  isWireMoment(created_at) &&
  isWireMoment(updated_at)

/** A watchlist element without its content. */
export const toWatchlist = (
  { _id, user_id, content_id, created_at, updated_at }: WatchlistDocument,
  video_id: string
): Omit<WatchlistElement, 'content'> => ({
  id: _id,
  user_id,
  content_id,
  video_id,
  created_at: timestamp(created_at),
  updated_at: timestamp(updated_at)
})

/** The elements that a user added last. */
export interface Saved {
  saved: WatchlistDocument[]
}

/**
 * A stage that adds a row for each of the newest elements of the user's watchlist to an aggregation of another collection, which saves an
 * operation.
 */
export const andSaved = (user_id: number, count: number) => ({
  $unionWith: {
    coll: 'watchlist',
    pipeline: [
      { $match: { user_id } },
      { $sort: { created_at: -1, _id: -1 } },
      { $limit: count },
      { $project: { _id: 0, saved: '$$ROOT' } }
    ]
  }
})

interface WatchlistFilter {
  content_id?: number[] | undefined
}

export const watchlistOf = (db: Db) => {
  const watchlist: Collection<WatchlistDocument> = db.collection('watchlist')
  const ids = counterOf(db, 'watchlist')
  const remover = removerOf(db, 'watchlist')

  return {
    list: (user_id: number, query: WatchlistFilter & PageQuery, isShown?: IsShown) => {
      const { content_id } = query
      const filter = { user_id, ...(content_id && { content_id: { $in: content_id } }) }
      return pageOf(db, watchlist, { filter, order: { created_at: -1, _id: -1 }, isShown }, query)
    },

    /** Changes nothing if the content is already there. */
    add: async (user_id: number, content_id: number) => {
      const _id = await withRetries(ids.next)
      const added = {
        _id: orElse('_id', _id),
        created_at: orElse('created_at', '$$NOW'),
        updated_at: orElse('updated_at', '$$NOW'),
        arrived_at: arrivalIfNew,
        asked_at: '$$NOW'
      }
      await withRetries(() => watchlist.updateOne({ user_id, content_id }, [{ $set: added }], { upsert: true }))
    },

    remove: async (user_id: number, id: string, isShown?: IsShown) => {
      const _id = orThrow(integerId(id), watchlistElementNotFound)
      await remover.one(user_id, _id, watchlistElementNotFound, isShown)
    },

    removeAll: remover.all
  }
}
