import type { Db, IndexDescription, ObjectId } from 'mongodb'
import type { PageQuery } from '../../schemas/page.js'
import { ratings as kinds, type RatedTitle, type Rating } from '../../schemas/rating.js'
import type { IsShown } from '../catalogue/audience.js'
import { objectId, text, validatorOf } from '../database/bson-schema.js'
import { type Eventful, eventOf, eventRule } from '../database/events.js'
import { withRetries } from '../database/retry.js'
import { timestamp } from '../time.js'
import {
  arrivalIndex,
  arrivalOfAdded,
  exportIndex,
  type ListDescription,
  type ListElement,
  type ListWrites,
  listFields,
  newestFirst,
  oneForEachContent,
  pageOf,
  removalOfAdded,
  replacedIndex,
  withUser
} from './lists.js'

/** `content_id` was the root of its tree when the title was rated. `created_at` is when it got this rating. */
export interface RatingDocument extends ListElement, Eventful {
  _id: ObjectId
  rating: Rating
}

export const ratingValidator = validatorOf<RatingDocument>({ ...listFields, _id: objectId, rating: { ...text, enum: kinds }, ...eventRule })

/** The fields after `_id` let the index cover reading all ratings of a user. */
export const ratingIndexes: IndexDescription[] = [
  oneForEachContent,
  { key: { user_id: 1, ...newestFirst, content_id: 1, rating: 1 } },
  arrivalIndex,
  replacedIndex('created_at'),
  exportIndex('created_at')
]

export const toRating = ({ content_id, rating, created_at }: RatingDocument): Omit<RatedTitle, 'content'> => ({
  content_id,
  rating,
  created_at: timestamp(created_at)
})

export const ratedTitles = {
  name: 'ratings',
  orderedBy: 'created_at',
  changedBy: ['arrived_at'],
  toEntry: toRating,
  toExported: withUser(toRating),
  removal: removalOfAdded(['created_at']),
  move: { dated: 'created_at', observed: 'created_at', latest: 'asked_at', arrival: arrivalOfAdded }
} satisfies ListDescription

export const ratingsOf = (db: Db, { tell, remover }: ListWrites) => {
  const ratings = db.collection<RatingDocument>('ratings')
  return {
    list: (user_id: number, page: PageQuery, isShown?: IsShown) => pageOf(db, ratings, { filter: { user_id }, isShown }, page),

    /** A title that already has this rating keeps its dates. */
    put: (user_id: number, content_id: number, rating: Rating) => {
      const isThere = { $eq: ['$rating', rating] }
      const ifChanged = (field: string) => ({ $cond: [isThere, `$${field}`, '$$NOW'] })
      const fields = {
        created_at: ifChanged('created_at'),
        arrived_at: ifChanged('arrived_at'),
        asked_at: '$$NOW',
        rating,
        event: { $cond: [isThere, '$$REMOVE', eventOf(user_id, content_id, rating)] }
      }
      return withRetries(() => tell(user_id, () => ratings.updateOne({ user_id, content_id }, [{ $set: fields }], { upsert: true })))
    },

    remove: remover.contents
  }
}
