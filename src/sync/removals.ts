import { type Collection, type Db, type Document, type Filter, type IndexDescription, ObjectId } from 'mongodb'
import type { IsShown } from '../catalogue/audience.js'
import { date, id, listOf, objectId, optional, text, validatorOf, whole } from '../database/bson-schema.js'
import { type Eventful, eventOf, eventRule } from '../database/events.js'
import { isUnavailable } from '../database/faults.js'
import { findAll } from '../database/read-all.js'
import { withRetries } from '../database/retry.js'
import { type ErrorAnswer, forbiddenOr, resourceNotFound } from '../errors.js'
import { days, seconds } from '../time.js'
import type { ListDescription, ListElement, ViewerList } from '../viewing/lists.js'
import type { Teller } from './telling.js'

/**
 * A tombstone: the record that elements were removed from a list. It tells apps that keep a copy, and makes late reports from before the
 * removal be dropped. Removing one element leaves a tombstone with its `content_id`. Emptying a list leaves one for the whole list, and
 * others that name what was in it, up to `contentsPerTombstone` content ids each, in ascending order.
 */
export interface RemovalDocument extends Eventful {
  _id: ObjectId
  user_id: number
  list: ViewerList
  /** 0 if the whole list was emptied. */
  content_id?: number
  content_ids?: number[]
  /** When the tombstone was last written. Apps find the removal by this date. */
  at: Date
  /** The cut-off: whatever was observed until then is removed. Missing in a tombstone that names the content ids of an emptied list. */
  before?: Date
}

export const removalValidator = validatorOf<RemovalDocument>({
  _id: objectId,
  user_id: id,
  list: text,
  content_id: optional(whole),
  content_ids: optional(listOf(whole)),
  at: date,
  before: optional(date),
  ...eventRule
})

export const removalsKept = days(90)

export const removalIndexes: IndexDescription[] = [
  { key: { user_id: 1, list: 1, content_id: 1 }, unique: true, partialFilterExpression: { content_id: { $exists: true } } },
  { key: { user_id: 1, at: 1, _id: 1 } },
  { key: { at: 1 }, expireAfterSeconds: removalsKept / 1000 }
]

const wholeList = 0

/** How many removed content ids one tombstone names. */
const contentsPerTombstone = 5000

interface TombstoneFields {
  before?: Date | '$$NOW' | undefined
  event?: Document
}

/** How long after its tombstone an element may be removed. Less than `changeOverlap`, so that apps read the tombstone again after the removal. */
export const removalGrace = seconds(5)

export const removalsOf = (db: Db, tell: Teller) => {
  const removals: Collection<RemovalDocument> = db.collection('removals')

  const upsert = async (filter: Partial<RemovalDocument> & { user_id: number }, fields: Document) => {
    const update = [{ $set: { ...fields, at: '$$NOW' } }]
    const write = () => removals.findOneAndUpdate(filter, update, { upsert: true, returnDocument: 'after' })
    return (await withRetries(() => tell(filter.user_id, write))) as RemovalDocument
  }
  /** Without `before`, whatever was observed until now is removed. Writing a tombstone again keeps its meaning, and apps find it again. */
  const tombstoneOf = (user_id: number, list: ViewerList, content_id: number, { before = '$$NOW', ...event }: TombstoneFields = {}) =>
    upsert({ user_id, list, content_id }, { ...event, before: { $max: ['$before', before] } }) as Promise<Required<RemovalDocument>>

  return {
    /** The event names the element, because several concurrent requests may record the removal of an element, which only one removes. */
    recordOne: ({ _id, user_id, content_id }: Listed, list: ViewerList, before?: Date) =>
      tombstoneOf(user_id, list, content_id, { before, event: eventOf(user_id, content_id, list, String(_id)) }),
    recordWhole: (user_id: number, list: ViewerList) => tombstoneOf(user_id, list, wholeList),
    recordSome: (user_id: number, list: ViewerList, content_ids: number[]) =>
      upsert({ _id: new ObjectId(), user_id }, { list, content_ids, event: 'removed' }),

    /**
     * Removes the content ids of this tombstone from earlier ones, so that tombstones do not accumulate for a list that is filled and emptied
     * repeatedly.
     */
    dropRepeated: async ({ user_id, list, at }: RemovalDocument, content_ids: number[]) => {
      const earlier = { user_id, at: { $lt: at }, list }
      const others = { $sortArray: { input: { $setDifference: ['$content_ids', content_ids] }, sortBy: 1 } }
      const hint = { user_id: 1, at: 1, _id: 1 }
      await withRetries(() =>
        removals.bulkWrite([
          { updateMany: { filter: { ...earlier, content_ids: { $in: content_ids } }, update: [{ $set: { content_ids: others } }], hint } },
          { deleteMany: { filter: { ...earlier, content_ids: [] }, hint } }
        ])
      )
    },

    /**
     * Returns a function that gives when an element of a content id was last removed from the history, in milliseconds. Only considers
     * removals of the last `within` milliseconds.
     */
    ofHistory: async (user_id: number, content_ids: number[], within = removalsKept) => {
      const isRecent = { $gte: ['$at', { $subtract: ['$$NOW', within] }] }
      const ofContents = { user_id, list: 'history', content_id: { $in: [wholeList, ...content_ids] }, $expr: isRecent } as const
      const tombstones = await withRetries(() => findAll(db, removals, ofContents))
      const removed = new Map(tombstones.map(({ content_id, before }) => [content_id, Number(before)]))
      const at = (content_id: number) => removed.get(content_id) ?? Number.NEGATIVE_INFINITY
      return (ids: number[]) => Math.max(at(wholeList), ...ids.map(at))
    }
  }
}

/** Part of a filter that stops matching when the tombstone is too old, because a database that was suspended may run a command much later. */
const soonAfter = ({ at }: RemovalDocument): Document => ({ $expr: { $lt: ['$$NOW', new Date(at.getTime() + removalGrace)] } })

/** In milliseconds. Much less than a request may take. */
const patience = 500

interface Listed extends ListElement {
  updated_at?: Date
}

const needed = { projection: { user_id: 1, content_id: 1, updated_at: 1, asked_at: 1 } } as const

/** Only 20, because hardly any elements have a date that is ahead of the clock. */
const newest = { ...needed, sort: { updated_at: -1, _id: -1 }, limit: 20 } as const

/** Removes elements. Every removal is recorded before it happens, so that apps learn of all of them. */
export const removerOf = (
  db: Db,
  { name, removal: { observed, partsAt, isDatedByPlayers } }: Pick<ListDescription, 'name' | 'removal'>,
  tell: Teller
) => {
  const collection: Collection<Listed> = db.collection(name)
  const removals = removalsOf(db, tell)
  const write = <T>(user_id: number, attempt: () => Promise<T>) => withRetries(() => tell(user_id, attempt))

  /** Resets elements that were observed again during their removal, as if they were new. Returns whether there were any. */
  const beginAnew = async (filter: Filter<Listed> & { user_id: number }, cutOff: Date) => {
    const { kept, begunAnew } = partsAt(cutOff)
    const { matchedCount } = await write(filter.user_id, () => collection.updateMany({ ...filter, ...kept }, [{ $set: begunAnew }]))
    return matchedCount > 0
  }

  /**
   * Records and removes an element if it was observed until the cut-off, or until now. Returns the cut-off, and whether an earlier attempt
   * was lost.
   */
  const attempt = async (element: Listed, given?: Date) => {
    const { _id, user_id, content_id } = element
    const tombstone = await removals.recordOne(element, name, given)
    // The date may come from a clock that was ahead.
    const seen: Date | undefined = element[observed]
    const cutOff = given ?? (seen && seen > tombstone.before ? seen : tombstone.before)
    const filter = { _id, user_id, content_id, ...partsAt(cutOff).removed, ...soonAfter(tombstone) }
    let isLost = false
    const { deletedCount } = await write(user_id, () =>
      collection.deleteOne(filter, { hint: { _id: 1 } }).catch(error => {
        isLost = isUnavailable(error)
        throw error
      })
    )
    return { isRemoved: deletedCount > 0, isLost, cutOff, recordedAt: tombstone.before }
  }

  /** The element, if the cut-off still removes it. It may have been moved to another content id. */
  const leftAt = ({ _id, user_id }: Listed, cutOff: Date) =>
    withRetries(() => collection.findOne({ _id, user_id, ...partsAt(cutOff).removed }, needed))

  /** Removes an element that was read before, unless it was observed after the cut-off. Returns whether this request has removed it. */
  const removeAt = async (element: Listed, cutOff: Date) => {
    const { _id, user_id } = element
    let wasLost = false
    for (let left: Listed | null = element; left; left = await leftAt(element, cutOff)) {
      const { isRemoved, isLost } = await attempt(left, cutOff)
      wasLost ||= isLost
      if (isRemoved || (await beginAnew({ _id, user_id }, cutOff))) return true
    }
    return wasLost
  }

  /**
   * Removes an element that was read before. For up to `patience`, it is removed even if it is observed again meanwhile, because no
   * response has been sent yet. Returns whether this request has removed it.
   */
  const removeNow = async (element: Listed) => {
    const { _id, user_id } = element
    const began = performance.now()
    let wasLost = false
    for (let found: Listed | null = element; found; ) {
      const { isRemoved, isLost, cutOff, recordedAt } = await attempt(found)
      wasLost ||= isLost
      if (isRemoved) return true
      if (performance.now() - began > patience) {
        if (await beginAnew({ _id, user_id }, cutOff)) return true
        const left = await leftAt(element, recordedAt)
        return (left !== null && (await removeAt(left, recordedAt))) || wasLost
      }
      found = await withRetries(() => collection.findOne({ _id, user_id }, needed))
    }
    return wasLost
  }

  /** Removes the elements that match, unless they were observed since. */
  const removeUntil = async (filter: Filter<Listed> & { user_id: number }, cutOff: Date) => {
    const removed = { ...filter, ...partsAt(cutOff).removed }
    const hint = { user_id: 1, content_id: 1 }
    const some = {
      projection: { _id: 0, content_id: 1 },
      sort: { content_id: 1 },
      hint,
      limit: contentsPerTombstone,
      batchSize: contentsPerTombstone
    } as const
    for (;;) {
      const elements = await withRetries(() => collection.find(removed, some).toArray())
      if (elements.length === 0) break
      const content_ids = elements.map(({ content_id }) => content_id)
      const tombstone = await removals.recordSome(filter.user_id, name, content_ids)
      const named = { ...removed, content_id: { $in: content_ids }, ...soonAfter(tombstone) }
      const { deletedCount } = await write(filter.user_id, () => collection.deleteMany(named, { hint }))
      await removals.dropRepeated(tombstone, content_ids)
      if (deletedCount === elements.length && elements.length < contentsPerTombstone) break
    }
    await beginAnew(filter, cutOff)
  }

  return {
    /** An element that is not shown to the user counts as missing. */
    one: async (user_id: number, _id: Listed['_id'], missing: () => ErrorAnswer, isShown?: IsShown) => {
      const element = await withRetries(() => collection.findOne({ _id, user_id }, needed))
      if (!element) throw await forbiddenOr(missing, collection, { _id })
      if (isShown?.(element.content_id) === false || !(await removeNow(element))) throw missing()
    },

    /** Removes an element, unless it was observed after the cut-off. */
    unlessSince: (element: Listed, cutOff?: Date) => (cutOff ? removeAt(element, cutOff) : removeNow(element)),

    /** Removes elements that late reports from before their removal have recreated. */
    again: (user_id: number, content_ids: number[], cutOff: Date) => removeUntil({ user_id, content_id: { $in: content_ids } }, cutOff),

    /** Of several concurrent requests, one removes the elements, and the others find none. */
    contents: async (user_id: number, content_ids: number[]) => {
      let isFound = false
      for (const element of await findAll(db, collection, { user_id, content_id: { $in: content_ids } }))
        if (await removeNow(element)) isFound = true
      if (!isFound) throw resourceNotFound()
    },

    /** Returns the moment until which the list is empty. */
    all: async (user_id: number) => {
      const seen = isDatedByPlayers ? await withRetries(() => collection.find({ user_id }, newest).toArray()) : []
      const { before: cutOff } = await removals.recordWhole(user_id, name)
      for (const element of seen) if ((element.updated_at as Date) > cutOff) await removeNow(element)
      await removeUntil({ user_id }, cutOff)
      return cutOff
    }
  }
}
export type Remover = ReturnType<typeof removerOf>
