import type { Db } from 'mongodb'
import { counterOf } from '../../../src/data/counters.js'
import type { WatchlistDocument } from '../../../src/data/watchlist.js'
import { minutes } from '../../../src/time.js'
import { generate, insert } from './insert.js'
import { ago } from './time.js'

/** Elements per watchlist. */
export const listed = 50

/** The n-th content item that a user saves. The first `listed` are on the list from the start, later ones are new. */
export const savedContent = (user: number, n: number, contents: number) => 1 + ((user * 31 + n) % contents)

export const fillWatchlists = async (db: Db, users: number, contents: number) => {
  const count = users * listed
  const element = (id: number): WatchlistDocument => {
    const user_id = 1 + ((id - 1) % users)
    const n = 1 + Math.floor((id - 1) / users)
    const created_at = ago(minutes(count - id))
    return { _id: id, user_id, content_id: savedContent(user_id, n, contents), created_at, updated_at: created_at }
  }
  await insert(db, 'watchlist', generate(count, element))
  await counterOf(db, 'watchlist').moveTo(count)
}

/** Restores the initial lists. */
export const resetWatchlists = async (db: Db, users: number) => {
  await db.collection<WatchlistDocument>('watchlist').deleteMany({ _id: { $gt: users * listed } })
}
