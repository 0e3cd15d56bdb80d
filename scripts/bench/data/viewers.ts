import { type Db, ObjectId } from 'mongodb'
import { counterOf } from '../../../src/database/counters.js'
import { hashPassword } from '../../../src/identity/passwords.js'
import { emailKey, type UserDocument } from '../../../src/identity/users.js'
import { minutes } from '../../../src/time.js'
import type { HistoryDocument } from '../../../src/viewing/history.js'
import { playedOf } from '../../../src/viewing/played.js'
import type { WatchlistDocument } from '../../../src/viewing/watchlist.js'
import { ago, choicesFrom, generate, insert } from './generate.js'

export const password = 'the same one for every user'
export const emailOf = (user: number) => `viewer-${user}@example.com`

export const fillAccounts = async (db: Db, users: number) => {
  const password_hash = await hashPassword(password)
  const account = (id: number): UserDocument => ({
    _id: id,
    email: emailOf(id),
    email_key: emailKey(emailOf(id)),
    name: `Viewer ${id}`,
    password_hash,
    disabled_at: null,
    created_at: ago(0),
    updated_at: ago(0)
  })
  await insert(db, 'users', generate(users, account))
}

/** A history draws from this many content items, or from as many as it has elements, if that is more. */
const watched = 2000

/** The id of an element, known without reading the database. */
export const historyId = (user: number, n: number) => user.toString(16).padStart(12, '0') + n.toString(16).padStart(12, '0')

/** Creates histories of the given lengths, in order of users from 1. Each element is of another content item. */
export const fillHistories = async (db: Db, lengths: Iterable<number>) => {
  const random = choicesFrom(1)
  const element = (user_id: number, n: number, content_id: number): HistoryDocument => {
    const updated_at = ago(n * minutes(30) + random.below(minutes(30)))
    const percentage = random.below(101)
    return {
      _id: new ObjectId(historyId(user_id, n)),
      user_id,
      content_id,
      time: random.below(7200),
      percentage,
      created_at: updated_at,
      updated_at,
      ...(percentage >= 90 && { plays: 1, watched_at: updated_at, ...playedOf([updated_at]) })
    }
  }
  function* elements() {
    let user = 0
    for (const length of lengths) {
      user++
      const first = length < watched / 2 ? random.below(watched / 2) : 0
      yield* generate(length, n => element(user, n, 1 + ((first + n - 1) % Math.max(length, watched))))
    }
  }
  await insert(db, 'history', elements())
}

export const listed = 50

export const fillWatchlists = async (db: Db, users: number, contents: number) => {
  const count = users * listed
  const element = (id: number): WatchlistDocument => {
    const user_id = 1 + ((id - 1) % users)
    const created_at = ago(minutes(count - id))
    const content_id = 1 + ((user_id * 31 + Math.floor((id - 1) / users)) % contents)
    return { _id: id, user_id, content_id, created_at, updated_at: created_at }
  }
  await insert(db, 'watchlist', generate(count, element))
  await counterOf(db, 'watchlist').moveTo(count)
}
