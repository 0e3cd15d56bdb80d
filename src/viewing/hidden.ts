import type { Db, ObjectId } from 'mongodb'
import type { HiddenTitle } from '../../schemas/hidden.js'
import type { PageQuery } from '../../schemas/page.js'
import { withRetries } from '../database/retry.js'
import { removerOf } from '../sync/removals.js'
import { timestamp } from '../time.js'
import { addedNow, type IsShown, type ListElement, pageOf } from './lists.js'

/** A title that is not proposed to a user. `content_id` was the top of its tree when it was hidden. */
export interface HiddenDocument extends ListElement {
  _id: ObjectId
}

/** A hidden title without its content. */
export const toHidden = ({ content_id, created_at }: HiddenDocument): Omit<HiddenTitle, 'content'> => ({
  content_id,
  created_at: timestamp(created_at)
})

export const hiddenOf = (db: Db) => {
  const hidden = db.collection<HiddenDocument>('hidden')
  const remover = removerOf(db, 'hidden')
  return {
    list: (user_id: number, page: PageQuery, isShown?: IsShown) => pageOf(db, hidden, { filter: { user_id }, isShown }, page),

    /** A title that is already hidden keeps its date. */
    put: (user_id: number, content_id: number) =>
      withRetries(() => hidden.updateOne({ user_id, content_id }, [{ $set: addedNow }], { upsert: true })),

    remove: remover.contents
  }
}
