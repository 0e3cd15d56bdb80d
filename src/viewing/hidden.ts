import type { Db, ObjectId } from 'mongodb'
import type { HiddenTitle } from '../../schemas/hidden.js'
import type { PageQuery } from '../../schemas/page.js'
import type { IsShown } from '../catalogue/audience.js'
import { objectId, validatorOf } from '../database/bson-schema.js'
import { withRetries } from '../database/retry.js'
import { timestamp } from '../time.js'
import {
  addedNow,
  arrivalOfAdded,
  type ListDescription,
  type ListElement,
  type ListWrites,
  listFields,
  pageOf,
  removalOfAdded,
  withUser
} from './lists.js'

/** A title that a user has hidden. `content_id` was the root of its tree at that time. */
export interface HiddenDocument extends ListElement {
  _id: ObjectId
}

export const hiddenValidator = validatorOf<HiddenDocument>({ ...listFields, _id: objectId })

export const toHidden = ({ content_id, created_at }: HiddenDocument): Omit<HiddenTitle, 'content'> => ({
  content_id,
  created_at: timestamp(created_at)
})

export const hiddenTitles = {
  name: 'hidden',
  orderedBy: 'created_at',
  changedBy: ['arrived_at'],
  toEntry: toHidden,
  toExported: withUser(toHidden),
  removal: removalOfAdded(['created_at']),
  move: { dated: 'created_at', observed: 'asked_at', earliest: 'created_at', latest: 'asked_at', arrival: arrivalOfAdded }
} satisfies ListDescription

export const hiddenOf = (db: Db, { tell, remover }: ListWrites) => {
  const hidden = db.collection<HiddenDocument>('hidden')
  return {
    list: (user_id: number, page: PageQuery, isShown?: IsShown) => pageOf(db, hidden, { filter: { user_id }, isShown }, page),

    /** A title that is already hidden keeps its date. */
    put: (user_id: number, content_id: number) =>
      withRetries(() => tell(user_id, () => hidden.updateOne({ user_id, content_id }, [{ $set: addedNow }], { upsert: true }))),

    remove: remover.contents
  }
}
