import { type AnyBulkWriteOperation, BSON, type Collection, type Db, type Document, MongoBulkWriteError, ObjectId } from 'mongodb'
import { isDuplicate } from '../database/faults.js'
import type { Lease } from '../database/leases.js'
import { withRetries } from '../database/retry.js'
import { dismissalMove } from '../viewing/dismissals.js'
import type { Move, ViewerList } from '../viewing/lists.js'
import { momentsOf, type Played, playedOf, without } from '../viewing/played.js'
import { eachList } from '../viewing/viewer-lists.js'
import { type RemovalDocument, removalGrace } from './removals.js'
import type { Teller } from './telling.js'

export type MovedList = ViewerList | 'dismissals'

/** Each list has one element per user and content id, and `replacedIndex` among its indexes. */
const moves = new Map<MovedList, Move>([...eachList.map(({ name, move }) => [name, move] as const), ['dismissals', dismissalMove]])
export const movedLists = [...moves.keys()]

interface Element extends Document, Played {
  _id: ObjectId | number
  user_id: number
  content_id: number
  /** The element that was merged into this one and may still exist, with the count and the play times that it added. */
  merged?: { _id: Element['_id']; added: number; moments?: Date[] }
}

/** The earlier ids of items, by their current id. */
export type Replaced = ReadonlyMap<number, readonly number[]>

const hasMerged = ({ merged }: Element, { _id }: Element) => String(merged?._id) === String(_id)

/** The count of an element without what the other one added. */
const ownCount = (one: Element, other: Element, count: string) =>
  (Number(one[count]) || 0) - (hasMerged(one, other) ? (one.merged?.added as number) : 0)

/** The same for the play times. */
const ownMoments = (one: Element, other: Element) => without(momentsOf(one), hasMerged(one, other) ? (one.merged?.moments ?? []) : [])

const chosen = (field: string | undefined, pick: (...dates: number[]) => number, elements: Element[]) => {
  const dates = elements.flatMap(element => (field && element[field] instanceof Date ? element[field].getTime() : []))
  return field && dates.length > 0 ? { [field]: new Date(pick(...dates)) } : {}
}

/** The fields of the element that stays when the other one has been merged into it. */
const mergedFields = (kept: Element, dropped: Element, { earliest, latest, count, filled = [] }: Move): Document => {
  const lacking = filled.filter(field => kept[field] == null && dropped[field] != null)
  const fields = {
    ...chosen(earliest, Math.min, [kept, dropped]),
    ...chosen(latest, Math.max, [kept, dropped]),
    ...Object.fromEntries(lacking.map(field => [field, dropped[field]]))
  }
  if (!count) return fields
  const added = ownCount(dropped, kept, count)
  const total = Math.min(Math.max(0, ownCount(kept, dropped, count) + added), Number.MAX_SAFE_INTEGER)
  const moments = ownMoments(dropped, kept)
  const played = playedOf([...ownMoments(kept, dropped), ...moments])
  return { ...fields, ...played, [count]: total, merged: { _id: dropped._id, added, moments } }
}

const isEqual = (one: Document, other: Document) => BSON.EJSON.stringify(one) === BSON.EJSON.stringify(other)

/**
 * A change to one element: new fields, or its removal after it was merged. `leaves` is the earlier id for which the user then has no
 * element.
 */
type Step = { element: Element; leaves?: number | undefined } & ({ set: Document } | { mergedInto: Element['_id'] })

/**
 * The next step for the elements that a user has of one item. An element of an earlier id is moved. If the current id has an element, too,
 * one is merged into the other, and then removed. A step depends only on what is stored, so the work simply continues after a step is lost
 * or a process is killed.
 */
const nextStep = (elements: Element[], content_id: number, move: Move): Step | undefined => {
  const own = elements.find(element => element.content_id === content_id)
  const others = elements.filter(element => element !== own)
  // A merge that has begun comes first, so that no element is part of two.
  const other = others.find(one => own && (hasMerged(own, one) || hasMerged(one, own))) ?? others[0]
  if (!other) return undefined
  if (!own) return { element: other, set: { content_id }, leaves: other.content_id }
  const isOtherLater = Number(other[move.observed]) > Number(own[move.observed] ?? 0)
  const [kept, dropped] = isOtherLater ? [other, own] : [own, other]
  const set = mergedFields(kept, dropped, move)
  const isMerged = isEqual(set, Object.fromEntries(Object.keys(set).map(field => [field, kept[field]])))
  if (!isMerged) return { element: kept, set }
  return { element: dropped, mergedInto: kept._id, leaves: isOtherLater ? undefined : other.content_id }
}

/** How many elements of earlier ids are read at once, to find their users. More would block the event loop. */
const elementsAtOnce = 400

/** What a step writes. */
interface Plan {
  operations: AnyBulkWriteOperation<Element>[]
  /** The earlier ids for which each user then has no element. */
  gone: Map<number, number[]>
  merged: { from: Element['_id']; into: Element['_id'] }[]
}

const literal = (fields: Document) => Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, { $literal: value }]))

/** Adds a step, which is only taken if the element is as it was read, and while apps are sure to read its removal. */
const addStep = ({ operations, gone, merged }: Plan, step: Step, { arrival, count }: Move, until: Date) => {
  const { element, leaves } = step
  const { _id, user_id } = element
  if (leaves !== undefined) gone.set(user_id, [...(gone.get(user_id) ?? []), leaves])
  const asRead = { $expr: { $and: [{ $eq: ['$$ROOT', { $literal: element }] }, { $lt: ['$$NOW', until] }] } }
  const target = { filter: { _id, user_id, ...asRead }, hint: { _id: 1 } }
  if ('set' in step) {
    operations.push({ updateOne: { ...target, update: [{ $set: { ...arrival, ...literal(step.set), event: '$$REMOVE' } }] } })
    return
  }
  operations.push({ deleteOne: target })
  if (count) merged.push({ from: _id, into: step.mergedInto })
}

const planOf = (rows: { element: Element; now: Date }[], replaced: Replaced, move: Move) => {
  const currentIds = new Map([...replaced].flatMap(([id, earlier]) => [id, ...earlier].map(one => [one, id] as const)))
  const groups = new Map<string, { content_id: number; elements: Element[] }>()
  for (const { element } of rows) {
    const content_id = currentIds.get(element.content_id) as number
    const key = `${element.user_id} ${content_id}`
    const group = groups.get(key) ?? { content_id, elements: [] }
    group.elements.push(element)
    groups.set(key, group)
  }
  const plan: Plan = { operations: [], gone: new Map(), merged: [] }
  for (const { content_id, elements } of groups.values()) {
    const step = nextStep(elements, content_id, move)
    if (step) addStep(plan, step, move, new Date((rows[0]?.now.getTime() as number) + removalGrace))
  }
  return plan
}

/** Moves viewers' elements of replaced items. */
export const movesOf = (db: Db, tell: Teller) => {
  const removals: Collection<RemovalDocument> = db.collection('removals')
  const states = db.collection<{ _id: 'moves'; revision: number; isSettled: boolean; at: Date }>('revisions')

  /** All elements that some users have of these items, if they have any of earlier ids, and the time. */
  const read = async (collection: Collection<Element>, replaced: Replaced, { dated }: Move) => {
    const earlier = [...replaced.values()].flat()
    const left = { content_id: { $in: earlier }, [dated]: { $exists: true } }
    const some = { projection: { _id: 0, user_id: 1 }, hint: { content_id: 1 }, limit: elementsAtOnce, batchSize: elementsAtOnce } as const
    const found = await withRetries(() => collection.find(left, some).toArray())
    if (found.length === 0) return []
    const ids = [...replaced.keys(), ...earlier]
    // Enough for all elements of the first user.
    const limit = ids.length + elementsAtOnce
    const pipeline = [
      { $match: { user_id: { $in: [...new Set(found.map(({ user_id }) => user_id))] }, content_id: { $in: ids } } },
      { $sort: { user_id: 1, content_id: 1 } },
      { $limit: limit },
      { $project: { _id: 0, element: '$$ROOT', now: '$$NOW' } }
    ]
    const options = { hint: { user_id: 1, content_id: 1 }, batchSize: limit }
    const rows = await withRetries(() => collection.aggregate<{ element: Element; now: Date }>(pipeline, options).toArray())
    const cutOff = rows.length === limit ? rows.at(-1)?.element.user_id : undefined
    return rows.filter(({ element }) => element.user_id !== cutOff)
  }

  /** Records removals before they happen. */
  const recordGone = (list: MovedList, gone: Map<number, number[]>) =>
    withRetries(() =>
      removals.bulkWrite(
        [...gone].map(([user_id, contents]) => {
          const content_ids = contents.toSorted((a, b) => a - b)
          return {
            updateOne: { filter: { _id: new ObjectId(), user_id }, update: [{ $set: { list, content_ids, at: '$$NOW' } }], upsert: true }
          }
        })
      )
    )

  /** Returns how many elements were changed. Others were changed by someone else since they were read. */
  const write = (
    collection: Collection<Element>,
    operations: AnyBulkWriteOperation<Element>[],
    confirm: Lease['confirm'],
    users: number[]
  ) =>
    withRetries(async () => {
      try {
        const options = { ...(await confirm()), ordered: false }
        const { modifiedCount, deletedCount } = await tell(users, () => collection.bulkWrite(operations, options))
        return modifiedCount + deletedCount
      } catch (error) {
        // The viewer has started an element of the current id.
        if (error instanceof MongoBulkWriteError && isDuplicate(error)) return error.modifiedCount + error.deletedCount
        throw error
      }
    })

  /** Removes `merged` from elements once the merged element is gone. */
  const forget = async (collection: Collection<Element>, merged: Plan['merged']) => {
    const all = { _id: { $in: merged.map(({ from }) => from) } }
    const left = new Set(
      (await withRetries(() => collection.find(all, { projection: { _id: 1 } }).toArray())).map(({ _id }) => String(_id))
    )
    const gone = merged.filter(({ from }) => !left.has(String(from)))
    const noted = { _id: { $in: gone.map(({ into }) => into) }, 'merged._id': { $in: gone.map(({ from }) => from) } }
    await withRetries(() => collection.updateMany(noted, { $unset: { merged: '' } }, { hint: { _id: 1 } }))
  }

  return {
    /**
     * Takes one step with the elements of some users. Returns how many elements were found, how many of them were changed, and how many of
     * those with an earlier id are done.
     */
    step: async (list: MovedList, replaced: Replaced, confirm: Lease['confirm']) => {
      const move = moves.get(list) as Move
      const collection: Collection<Element> = db.collection(list)
      const rows = await read(collection, replaced, move)
      const { operations, gone, merged } = planOf(rows, replaced, move)
      if (operations.length === 0) return { found: rows.length, changed: 0, moved: 0 }
      if (move.arrival && gone.size > 0) await recordGone(list, gone)
      const users = move.arrival ? [...new Set(rows.map(({ element }) => element.user_id))] : []
      const changed = await write(collection, operations, confirm, users)
      if (merged.length > 0) await forget(collection, merged)
      return { found: rows.length, changed, moved: Math.min(changed, [...gone.values()].flat().length) }
    },

    /** The revision of the contents up to which everything was moved, and how long ago that was established, in milliseconds. */
    state: () =>
      states.findOne<{ revision: number; isSettled: boolean; age: number }>(
        { _id: 'moves' },
        { projection: { revision: 1, isSettled: 1, age: { $subtract: ['$$NOW', '$at'] } } }
      ),

    save: (revision: number, isSettled: boolean) =>
      withRetries(() => states.updateOne({ _id: 'moves' }, { $set: { revision, isSettled }, $currentDate: { at: true } }, { upsert: true }))
  }
}
