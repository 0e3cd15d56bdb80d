import type { Collection, Db, Document, Filter, IndexDescription, ObjectId, Sort } from 'mongodb'
import type { Changes } from '../../schemas/changes.js'
import type { PageQuery } from '../../schemas/page.js'
import type { IsShown } from '../catalogue/audience.js'
import { date, id, optional } from '../database/bson-schema.js'
import { aggregateAll } from '../database/read-all.js'
import type { Remover, Teller } from '../sync/index.js'

/** An element of a viewer's list. Each list is a collection with one element per user and content id. */
export interface ListElement {
  _id: ObjectId | number
  /** The profile. */
  user_id: number
  content_id: number
  created_at: Date
  /** When it was stored. GET /changes finds it by this date, because an import brings an older `created_at`. */
  arrived_at?: Date
  /** When the user last added it, even if it was already listed. A removal with an earlier date must not remove it. */
  asked_at?: Date
}

/** The name of a list, which is also that of its collection. */
export type ViewerList = keyof Changes['removed']

/** How the cut-off of a removal divides the elements of a list. */
interface Parts {
  removed: Document
  /** Elements that stay because they were observed after the cut-off, and the fields that make them new elements. */
  kept: Document
  begunAnew: Document
}

/** What a removal needs to know about a list. */
interface Removal {
  /** When the viewer last reported an element, or added it, even if it was already listed. */
  observed: 'updated_at' | 'asked_at'
  /** Whether that date may come from a player's clock, which may be ahead. */
  isDatedByPlayers?: true
  partsAt: (cutOff: Date) => Parts
}

/** How the elements of a list are moved from an earlier content id to the current one. */
export interface Move {
  /** A date that every element has. The index by content id is partial on it, so that viewers' queries cannot use that index. */
  dated: string
  /** Of two elements, the one with the later date here stays. */
  observed: string
  /** The element that stays gets the earlier of the two dates. */
  earliest?: string
  /** The element that stays gets the later of the two dates. */
  latest?: string
  /** The element that stays gets the sum of the two counts, and the times of all plays. */
  count?: string
  /** If the element that stays has no value in one of these fields, it takes the other's. */
  filled?: string[]
  /** Fields that say when an element was stored. Lists with such fields are in GET /changes. */
  arrival?: Document
}

/** Describes one list to the code that handles them all: changes, removals, moves, export. */
export interface ListDescription<Element = never, Entry extends object = object, Exported extends object = object> {
  /** Also the name of the collection. */
  name: ViewerList
  /** The date that every element has and that orders the list. */
  orderedBy: 'created_at' | 'updated_at'
  /** GET /changes finds new elements by these dates. */
  changedBy: ('updated_at' | 'arrived_at')[]
  /** An element as GET /changes sends it. `video_id` is that of its content. */
  toEntry: (element: Element, video_id: string) => Entry
  /** Whether an entry needs the `video_id`. An element whose content is gone is then left out. */
  namesVideo?: true
  toExported: (element: Element) => Exported
  removal: Removal
  move: Move
}

/** The fields of every list, for its validator. */
export const listFields = { user_id: id, content_id: id, created_at: date, arrived_at: optional(date), asked_at: optional(date) }

/** Undated reports leave `arrived_at` out; `updated_at` is their arrival. */
export const arrivalIndex: IndexDescription = {
  key: { user_id: 1, arrived_at: 1, _id: 1 },
  partialFilterExpression: { arrived_at: { $exists: true } }
}
/** A date that every element has. An index that is partial on it holds all of them, but MongoDB does not use it for viewers' queries. */
const everyElement = (dated: string) => ({ [dated]: { $exists: true } })
/** Finds elements of replaced items. */
export const replacedIndex = (dated: 'created_at' | 'updated_at' | 'at'): IndexDescription => ({
  key: { content_id: 1 },
  partialFilterExpression: everyElement(dated)
})
/** For the export. */
export const exportIndex = (dated: 'created_at' | 'updated_at'): IndexDescription => ({
  key: { user_id: 1, _id: 1 },
  partialFilterExpression: everyElement(dated)
})
export const oneForEachContent: IndexDescription = { key: { user_id: 1, content_id: 1 }, unique: true }
/** The indexes of a list that is sorted by when elements were added. */
export const listIndexes = [
  oneForEachContent,
  { key: { user_id: 1, created_at: -1, _id: -1 } },
  arrivalIndex,
  replacedIndex('created_at'),
  exportIndex('created_at')
]

export const newestFirst = { created_at: -1, _id: -1 } as const

/** The `content_id` of a preference for all titles. Not 0, which means the whole list in `removals`. */
export const anyTitle = -1
export const wireContentId = (content_id: number) => (content_id === anyTitle ? null : content_id)

interface Selected<T extends Document> {
  filter: Filter<T>
  order?: Sort
  /** Not given if all are shown. */
  isShown?: IsShown | undefined
}

/** The elements of a page and the total, in one operation. With `isShown`, another operation first reads which contents to leave out. */
export const pageOf = async <T extends Document>(
  db: Db,
  collection: Collection<T>,
  { filter, order = newestFirst, isShown }: Selected<T>,
  { page, perPage }: PageQuery
) => {
  const leftOut = isShown && (await contentsToLeaveOut(db, collection, filter, isShown))
  const shownFilter = leftOut ? { $and: [filter, { content_id: { $nin: leftOut } }] } : filter
  const count = [{ $match: shownFilter }, { $count: 'total' }]
  const rows = await aggregateAll<T | { total: number }>(db, collection, [
    { $match: shownFilter },
    { $sort: order },
    { $skip: (page - 1) * perPage },
    { $limit: perPage },
    { $unionWith: { coll: collection.collectionName, pipeline: count } }
  ])
  // The row without an `_id` is the count. If nothing matches, there is no such row.
  let total = 0
  const elements: T[] = []
  for (const row of rows) {
    if ('_id' in row) elements.push(row as T)
    else total = row.total
  }
  // After the first operation, an element may have been moved to an item that is not shown. `total` still counts it.
  return { elements: isShown ? elements.filter(({ content_id }) => isShown(content_id)) : elements, total }
}

export const contentsToLeaveOut = async <T extends Document>(db: Db, collection: Collection<T>, filter: Filter<T>, isShown: IsShown) => {
  const stages = [{ $match: filter }, { $project: { _id: 0, content_id: 1 } }]
  const elements = await aggregateAll<{ content_id: number }>(db, collection, stages)
  return elements.map(({ content_id }) => content_id).filter(id => !isShown(id))
}

// Field values in an upsert.

/** Values that stand for themselves in an expression, and the time. Not strings, because one that begins with `$` names a field. */
type Plain = number | Date | '$$NOW'

/** Sets the field if the update inserts the document. Otherwise keeps its value. */
const ifNew = (field: string, value: Plain) => ({ $cond: [{ $eq: [{ $type: '$_id' }, 'missing'] }, value, `$${field}`] })

/** Keeps the stored value. Sets the field if it is missing, even in an existing document. */
export const orElse = (field: string, value: Plain) => ({ $ifNull: [`$${field}`, value] })

const arrivalIfNew = ifNew('arrived_at', '$$NOW')

/** The dates of an element that a user adds now. An existing element keeps all but `asked_at`. */
export const addedNow = { created_at: orElse('created_at', '$$NOW'), arrived_at: arrivalIfNew, asked_at: '$$NOW' }

/** What writes to a list need: `remover` for removals, and `tell` to announce every other write. */
export interface ListWrites {
  tell: Teller
  remover: Remover
}

/** Exports an element as its entry, with the id of the user. */
export const withUser =
  <Element extends { user_id: number }, Entry extends object>(toEntry: (element: Element) => Entry) =>
  (element: Element) => ({ user_id: element.user_id, ...toEntry(element) })

// Shared by most lists: those to which users add elements.

/** `begun` are the dates that say when an element was added. */
export const removalOfAdded = (begun: string[]): Removal => ({
  observed: 'asked_at',
  partsAt: cutOff => {
    const notLater = { $not: { $gt: cutOff } }
    return {
      // An element without `asked_at` was imported, so its arrival counts. A moved element arrived later than it was asked for.
      removed: { asked_at: notLater, $or: [{ asked_at: { $exists: true } }, { arrived_at: notLater }] },
      kept: { asked_at: { $gt: cutOff }, arrived_at: notLater },
      begunAnew: { arrived_at: '$$NOW', event: '$$REMOVE', ...Object.fromEntries(begun.map(date => [date, '$asked_at'])) }
    }
  }
})

/** The arrival dates of a moved element, so that GET /changes finds it. */
export const arrivalOfAdded = { arrived_at: '$$NOW', asked_at: { $ifNull: ['$asked_at', '$arrived_at'] } }
