import { type Collection, type Db, type Document, type IndexDescription, ObjectId } from 'mongodb'
import type { ErrorAnswer } from '../errors.js'
import { days, seconds } from '../time.js'
import { aggregateInOneBatch, findInOneBatch } from './driver/one-batch.js'
import { withRetries } from './driver/retry.js'
import { forbiddenOr, type Owned } from './owned.js'
import type { IsShown } from './paging.js'
import { ifNew } from './update-fields.js'

/** The lists of a viewer. Each is a collection with one element per user and content. */
export type ViewerList = 'history' | 'watchlist' | 'hidden'

/**
 * A mark that elements were removed from a list. It tells apps that keep a copy, and drops reports that were made before and arrive
 * later. There is one mark for each content that was removed by itself. When the whole list is emptied, one mark says so, and
 * others name the contents that were in it, up to `contentsPerMark` each. Emptying the list again renews the mark of the whole list.
 */
export interface RemovalDocument {
  _id: ObjectId
  user_id: number
  list: ViewerList
  /** 0 if the whole list was emptied. */
  content_id?: number
  content_ids?: number[]
  at: Date
}

/** How long marks are kept. */
export const removalsKept = days(90)

export const removalIndexes: IndexDescription[] = [
  { key: { user_id: 1, list: 1, content_id: 1 }, unique: true, partialFilterExpression: { content_id: { $exists: true } } },
  { key: { user_id: 1, at: 1, _id: 1 } },
  { key: { at: 1 }, expireAfterSeconds: removalsKept / 1000 }
]

/**
 * Finds elements by when they were stored. Elements of the history whose last report was made at its arrival have no `arrived_at`: their
 * `updated_at` says when.
 */
export const arrivalIndex: IndexDescription = {
  key: { user_id: 1, arrived_at: 1, _id: 1 },
  partialFilterExpression: { arrived_at: { $exists: true } }
}

/** Set by the update that adds the element, and kept by later ones. */
export const arrivalIfNew = ifNew('arrived_at', '$$NOW')

const wholeList = 0

/** How many removed contents one mark names. */
const contentsPerMark = 5000

/**
 * How long after its mark an element may be removed. `changeOverlap` is longer, so a caller who has read the mark while the element was
 * still there reads the mark again.
 */
export const removalGrace = seconds(5)

export const removalsOf = (db: Db) => {
  const removals: Collection<RemovalDocument> = db.collection('removals')

  /** Returns the time of the mark. */
  const mark = async (filter: Partial<RemovalDocument>, fields: Partial<RemovalDocument> = {}) => {
    const update = [{ $set: { ...fields, at: '$$NOW' } }]
    const marked = await withRetries(() => removals.findOneAndUpdate(filter, update, { upsert: true, returnDocument: 'after' }))
    return (marked as RemovalDocument).at
  }

  return {
    markOne: (user_id: number, list: ViewerList, content_id: number) => mark({ user_id, list, content_id }),
    markWhole: (user_id: number, list: ViewerList) => mark({ user_id, list, content_id: wholeList }),
    markSome: (user_id: number, list: ViewerList, content_ids: number[]) => mark({ _id: new ObjectId(), user_id }, { list, content_ids }),

    /** Returns a function that says when the element of a content was last removed from the history, in milliseconds. */
    ofHistory: async (user_id: number, content_ids: number[]) => {
      const marks = await findInOneBatch(db, removals, {
        user_id,
        list: 'history',
        content_id: { $in: [wholeList, ...content_ids] }
      })
      const removed = new Map(marks.map(({ content_id, at }) => [content_id, at.getTime()]))
      const at = (content_id: number) => removed.get(content_id) ?? Number.NEGATIVE_INFINITY
      return (content_id: number) => Math.max(at(wholeList), at(content_id))
    }
  }
}

/** Part of a filter that no longer matches when the mark is too old. A database that was frozen may run a command much later. */
export const soonAfter = (mark: Date): Document => ({ $expr: { $lt: ['$$NOW', new Date(mark.getTime() + removalGrace)] } })

interface Listed extends Owned {
  _id: ObjectId | number
  content_id: number
}

/** Removes elements of a list, after they have been marked: a crash in between leaves an element, but never an unknown removal. */
export const removerOf = (db: Db, list: ViewerList) => {
  const collection: Collection<Listed> = db.collection(list)
  const removals = removalsOf(db)
  return {
    /** An element that is not shown to the user counts as missing. */
    one: async (user_id: number, _id: Listed['_id'], missing: () => ErrorAnswer, isShown?: IsShown) => {
      const element = await withRetries(() => collection.findOne({ _id, user_id }, { projection: { content_id: 1 } }))
      if (!element) throw await forbiddenOr(missing, collection, { _id })
      if (isShown?.(element.content_id) === false) throw missing()
      const mark = await removals.markOne(user_id, list, element.content_id)
      const { deletedCount } = await withRetries(() => collection.deleteOne({ _id, user_id, ...soonAfter(mark) }))
      if (deletedCount === 0) throw missing()
    },

    /** Returns how many elements were removed. Of several requests at once, one removes them. */
    contents: async (user_id: number, content_ids: number[]) => {
      let removed = 0
      const elements = await findInOneBatch(db, collection, { user_id, content_id: { $in: content_ids } })
      for (const { _id, content_id } of elements) {
        const mark = await removals.markOne(user_id, list, content_id)
        const { deletedCount } = await withRetries(() => collection.deleteOne({ _id, user_id, ...soonAfter(mark) }))
        removed += deletedCount
      }
      return removed
    },

    all: async (user_id: number) => {
      await removals.markWhole(user_id, list)
      const contents = await aggregateInOneBatch<{ content_id: number }>(db, collection, [
        { $match: { user_id } },
        { $project: { _id: 0, content_id: 1 } }
      ])
      for (let from = 0; from < contents.length; from += contentsPerMark) {
        const content_ids = contents.slice(from, from + contentsPerMark).map(({ content_id }) => content_id)
        const mark = await removals.markSome(user_id, list, content_ids)
        await withRetries(() => collection.deleteMany({ user_id, content_id: { $in: content_ids }, ...soonAfter(mark) }))
      }
    }
  }
}
