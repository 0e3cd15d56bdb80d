import type { Collection, Db, IndexDescription } from 'mongodb'
import type { PageQuery } from '../../schemas/page.js'
import { found, watchlistElementNotFound } from '../errors.js'
import { integerId } from '../http/ids.js'
import { isWireMoment, timestamp } from '../time.js'
import { counterOf } from './counters.js'
import { persist } from './driver/retry.js'
import { refusal } from './owned.js'
import { pageOf } from './pages.js'

export interface WatchlistDocument {
  _id: number
  user_id: number
  content_id: number
  created_at: Date
  updated_at: Date
}

export const watchlistIndexes: IndexDescription[] = [
  { key: { user_id: 1, content_id: 1 }, unique: true },
  { key: { user_id: 1, created_at: -1, _id: -1 } }
]

/** Whether it can be sent: one that another hand has put into the database may have anything. */
export const isWholeWatchlist = ({ _id, user_id, content_id, created_at, updated_at }: WatchlistDocument) =>
  Number.isSafeInteger(_id) &&
  Number.isSafeInteger(user_id) &&
  Number.isSafeInteger(content_id) &&
  isWireMoment(created_at) &&
  isWireMoment(updated_at)

/** A watchlist element without its content, whose media it names. */
export const toWatchlist = ({ _id, user_id, content_id, created_at, updated_at }: WatchlistDocument, video_id: string) => ({
  id: _id,
  user_id,
  content_id,
  video_id,
  created_at: timestamp(created_at),
  updated_at: timestamp(updated_at)
})

export const watchlistOf = (db: Db) => {
  const watchlist: Collection<WatchlistDocument> = db.collection('watchlist')
  const ids = counterOf(db, 'watchlist')

  return {
    list: (user_id: number, content_id: number[] | undefined, page: PageQuery) =>
      pageOf(db, watchlist, { user_id, ...(content_id && { content_id: { $in: content_id } }) }, { created_at: -1, _id: -1 }, page),

    /** Adds the content unless it is there, in which case nothing changes. */
    add: async (user_id: number, content_id: number) => {
      const _id = await persist(ids.next)
      const now = new Date()
      await persist(() =>
        watchlist.updateOne({ user_id, content_id }, { $setOnInsert: { _id, created_at: now, updated_at: now } }, { upsert: true })
      )
    },

    remove: async (user_id: number, id: string) => {
      const _id = found(integerId(id), watchlistElementNotFound)
      const { deletedCount } = await persist(() => watchlist.deleteOne({ _id, user_id }))
      if (deletedCount === 0) throw await refusal(watchlist, { _id }, watchlistElementNotFound)
    },

    removeAll: (user_id: number) => persist(() => watchlist.deleteMany({ user_id }))
  }
}
