import type { Collection, Db, IndexDescription, ObjectId } from 'mongodb'
import type { HiddenTitle } from '../../schemas/hidden.js'
import type { PageQuery } from '../../schemas/page.js'
import { hiddenTitleNotFound } from '../errors.js'
import { isWireMoment, timestamp } from '../time.js'
import { withRetries } from './driver/retry.js'
import { type IsShown, orElse, pageOf } from './lists.js'
import { arrivalIfNew, arrivalIndex, removerOf } from './removals.js'

/** A title that is not proposed to a user. `content_id` was the top of its tree when it was hidden. */
export interface HiddenDocument {
  _id: ObjectId
  user_id: number
  content_id: number
  created_at: Date
  /** When it was stored. An import brings an older `created_at`. */
  arrived_at?: Date
  /** When the user last added it, although it may have been there. A removal that began before leaves it there. */
  asked_at?: Date
}

export const hiddenIndexes: IndexDescription[] = [
  { key: { user_id: 1, content_id: 1 }, unique: true },
  { key: { user_id: 1, created_at: -1, _id: -1 } },
  arrivalIndex
]

/** Other software may have written elements without these fields. */
export const isServableHidden = ({ content_id, created_at }: HiddenDocument) => Number.isSafeInteger(content_id) && isWireMoment(created_at)

/** A hidden title without its content. */
export const toHidden = ({ content_id, created_at }: HiddenDocument): Omit<HiddenTitle, 'content'> => ({
  content_id,
  created_at: timestamp(created_at)
})

/** The ids of the titles that a user has hidden. */
export interface Hidden {
  hidden: number[]
}

/** A stage that adds a row for each of the user's hidden titles to an aggregation of another collection, which saves an operation. */
export const andHidden = (user_id: number) => ({
  $unionWith: { coll: 'hidden', pipeline: [{ $match: { user_id } }, { $project: { _id: 0, hidden: '$content_id' } }] }
})

export const hiddenOf = (db: Db) => {
  const hidden: Collection<HiddenDocument> = db.collection('hidden')
  const remover = removerOf(db, 'hidden')
  return {
    list: (user_id: number, page: PageQuery, isShown?: IsShown) =>
      pageOf(db, hidden, { filter: { user_id }, order: { created_at: -1, _id: -1 }, isShown }, page),

    /** Changes nothing if the title is already hidden. */
    put: (user_id: number, content_id: number) => {
      const added = { created_at: orElse('created_at', '$$NOW'), arrived_at: arrivalIfNew, asked_at: '$$NOW' }
      return withRetries(() => hidden.updateOne({ user_id, content_id }, [{ $set: added }], { upsert: true }))
    },

    remove: async (user_id: number, content_ids: number[]) => {
      if ((await remover.contents(user_id, content_ids)) === 0) throw hiddenTitleNotFound()
    }
  }
}
