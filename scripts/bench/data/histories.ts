import { type Db, ObjectId } from 'mongodb'
import type { HistoryDocument } from '../../../src/data/history.js'
import { minutes } from '../../../src/time.js'
import { choicesFrom } from './choices.js'
import { generate, insert } from './insert.js'
import { ago } from './time.js'

/** A history draws from this many content items, or from as many as it has elements, if those are more. */
const watched = 2000

/** The id of an element, known without reading the database. */
export const historyId = (user: number, n: number) => user.toString(16).padStart(12, '0') + n.toString(16).padStart(12, '0')

/** Creates histories of the given lengths, in order of users from 1. */
export const fillHistories = async (db: Db, lengths: Iterable<number>, seed: number) => {
  const random = choicesFrom(seed)
  const element = (user_id: number, n: number, content_id: number): HistoryDocument => {
    const updated_at = ago(n * minutes(30) + random.below(minutes(30)))
    return {
      _id: new ObjectId(historyId(user_id, n)),
      user_id,
      content_id,
      time: random.below(7200),
      percentage: random.below(101),
      created_at: updated_at,
      updated_at
    }
  }
  function* elements() {
    let user = 0
    for (const length of lengths) {
      user++
      const first = random.below(watched / 2)
      yield* generate(length, n => element(user, n, contentOf(n, length, first)))
    }
  }
  await insert(db, 'history', elements())
}

/** The n-th content item of a user. Deterministic, and different for each n. */
const contentOf = (n: number, length: number, first: number) =>
  1 + ((n + (length < watched / 2 ? first : 0) - 1) % Math.max(length, watched))
