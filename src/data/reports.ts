import {
  type AnyBulkWriteOperation,
  type Collection,
  type Db,
  type Document,
  type Filter,
  MongoBulkWriteError,
  type ObjectId
} from 'mongodb'
import { Cache } from '../cache.js'
import { historyUpdateNotFound } from '../errors.js'
import { minutes } from '../time.js'
import { isDuplicate } from './driver/faults.js'
import { findAll } from './driver/read-all.js'
import { retryDeadline, withRetries } from './driver/retry.js'
import { type HistoryDocument, historyId } from './history.js'
import { forbiddenOr } from './lists.js'
import { begunFilter, isCompleted, type Progress, pipelineOf, unlessLater, unwatchedUpdate } from './progress.js'
import { removalsOf, removerOf } from './removals.js'

interface Reported {
  content_id: number
  /** Earlier ids of the content, under which it may still have an element, or had one that was removed. */
  earlier?: number[]
}

/** What a player reports about a content. */
export interface Report extends Reported {
  progress: Progress
}

const idsOf = ({ content_id, earlier = [] }: Reported) => [content_id, ...earlier]

/** The present id of each content, by each of its ids. */
const leadsOf = (contents: Reported[]) => new Map(contents.flatMap(one => idsOf(one).map(id => [id, one.content_id] as const)))

/** The write of an element. One that is not moved yet is written where it is, so that its completions are known. */
const writeOf = (user_id: number, content: Reported, changes: Document[], known?: ObjectId) => {
  const { content_id, earlier = [] } = content
  if (earlier.length === 0) return { filter: { user_id, content_id }, update: changes }
  const ifNew = { $set: { content_id: { $ifNull: ['$content_id', content_id] } } }
  return { filter: { user_id, content_id: { $in: idsOf(content) }, ...(known && { _id: known }) }, update: [...changes, ifNew] }
}

/** Of the elements of several ids, the one that stays when they are merged. */
const newestFirst = { sort: { updated_at: -1 }, hint: { user_id: 1, content_id: 1 } } as const

/** More than a request may take, retries included. */
const longestRequest = minutes(1)

/** Enough for about twenty thousand elements. */
const cacheBytes = 4 * 1024 * 1024
const bytesOfId = 8
const keyOf = (user_id: number, id: string) => `${user_id} ${id}`

/** A report from the future counts as made now, after all that were made before. */
const observedIn = ({ progress: { observed_at } }: Report, now: number) =>
  observed_at && observed_at.getTime() < now ? observed_at.getTime() : Number.POSITIVE_INFINITY

interface ContentReports extends Reported {
  progress: Progress[]
}

/** The reports of each content, in the order of their observations. */
const byContent = (reports: Report[]) => {
  const now = Date.now()
  const contents = new Map<number, ContentReports>()
  // Infinity minus Infinity is NaN.
  for (const { progress, ...content } of reports.toSorted((a, b) => observedIn(a, now) - observedIn(b, now) || 0)) {
    const others = contents.get(content.content_id)
    if (others) others.progress.push(progress)
    else contents.set(content.content_id, { ...content, progress: [progress] })
  }
  return [...contents.values()]
}

/** The newest element of each content, by its present id. `leads` has the present id by each id. */
const newestOf = (elements: HistoryDocument[], leads: ReadonlyMap<number, number>) => {
  const oldestFirst = elements.toSorted((a, b) => Number(a.updated_at) - Number(b.updated_at))
  return new Map(oldestFirst.map(element => [leads.get(element.content_id), element]))
}

/** Writes the reports of each content. Returns whether it may have brought elements back that had been removed. */
const writeAll = async (
  history: Collection<HistoryDocument>,
  { user_id, reports, completedAt }: { user_id: number; reports: ContentReports[]; completedAt: number },
  elementsOf: (user_id: number, content_ids: number[]) => Promise<HistoryDocument[]>
) => {
  const lists = reports.map(({ progress }) => progress)
  // A report without `observed_at` counts each time, so several of one content would count twice if they were sent again.
  const isRepeatable = lists.every(progress => progress.filter(({ observed_at }) => !observed_at).length < 2)
  const areDated = lists.flat().some(({ observed_at }) => observed_at)
  let left = reports
  let areAdded = false
  let areLost = false
  const writeLeft = async (lostFor?: number) => {
    areLost ||= lostFor !== undefined
    // A bulk write cannot choose between several elements.
    const leads = leadsOf(left.filter(({ earlier = [] }) => earlier.length > 0))
    const newest = leads.size > 0 ? newestOf(await elementsOf(user_id, [...leads.keys()]), leads) : undefined
    const operations = left.map((one): AnyBulkWriteOperation<HistoryDocument> => {
      const changes = pipelineOf(one.progress, completedAt, lostFor)
      return { updateOne: { ...writeOf(user_id, one, changes, newest?.get(one.content_id)?._id), upsert: true } }
    })
    try {
      const { upsertedCount } = await history.bulkWrite(operations, { ordered: false })
      areAdded ||= upsertedCount > 0
    } catch (error) {
      if (error instanceof MongoBulkWriteError && isDuplicate(error)) {
        // The others were written.
        const failed = new Set([error.writeErrors].flat().map(({ index }) => index))
        left = left.filter((_, i) => failed.has(i))
        areAdded ||= error.upsertedCount > 0
      }
      throw error
    }
  }
  await withRetries(writeLeft, isRepeatable ? retryDeadline() : 0)
  return areLost || (areDated && areAdded)
}

/** Writes what players report. A report that was made before its element was removed, and arrives later, is dropped. */
export const reportsOf = (db: Db, completedAt: number) => {
  const history: Collection<HistoryDocument> = db.collection('history')
  const removals = removalsOf(db)
  const remover = removerOf(db, 'history')
  /** The content id of each element, by user and element. It may be the earlier id of a content, which leads to the present one. */
  const contentIds = new Cache<string, number>(cacheBytes, () => bytesOfId)

  const removedSince = async (user_id: number, reports: Report[]) => {
    const dated = reports.filter(({ progress }) => progress.observed_at)
    if (dated.length === 0) return []
    const cutOffOf = await removals.ofHistory(user_id, dated.flatMap(idsOf))
    return dated.filter(report => (report.progress.observed_at as Date).getTime() < cutOffOf(idsOf(report)))
  }

  const elementsOf = (user_id: number, content_ids: number[], state: Filter<HistoryDocument> = {}) =>
    withRetries(() => findAll(db, history, { user_id, content_id: { $in: content_ids }, ...state }))

  /** A write may bring back elements while they are being removed. Removes them again, unless they are newer than the removal. */
  const removeAgain = async (user_id: number, contents: Reported[], within?: number) => {
    const cutOffOf = await removals.ofHistory(user_id, contents.flatMap(idsOf), within)
    const cutOffs = new Map(contents.flatMap(one => idsOf(one).map(id => [id, cutOffOf(idsOf(one))] as const)))
    const removed = [...cutOffs.keys()].filter(id => cutOffs.get(id) !== Number.NEGATIVE_INFINITY)
    if (removed.length === 0) return
    const back = new Map<number, number[]>()
    for (const { content_id, updated_at } of await elementsOf(user_id, removed)) {
      const cutOff = cutOffs.get(content_id) as number
      // Other software may have left the date out.
      if (!(Number(updated_at) > cutOff)) back.set(cutOff, [...(back.get(cutOff) ?? []), content_id])
    }
    for (const [cutOff, content_ids] of back) await remover.again(user_id, content_ids, new Date(cutOff))
  }

  /** Writes the reports. Removes again what they, or an earlier attempt to send those that are dropped now, may have brought back. */
  const writeOrRemove = async (user_id: number, kept: Report[], dropped: Report[] = []) => {
    const mayBeBack = kept.length > 0 && (await writeAll(history, { user_id, reports: byContent(kept), completedAt }, elementsOf))
    const inDoubt = mayBeBack ? [...kept, ...dropped] : dropped
    if (inDoubt.length > 0) await removeAgain(user_id, inDoubt)
  }

  /** Completes new and begun elements in one write. Without begun ones, it takes a fifth of the time. */
  const complete = async (user_id: number, ends: Report[], { areNew, lostFor }: { areNew: boolean; lostFor?: number | undefined }) => {
    const completion = pipelineOf([{ percentage: 100 }], completedAt, lostFor)
    const atEnd = { $and: [{ $eq: ['$percentage', 100] }, '$$new.time'] }
    // An element that a later report has taken elsewhere stays there, and so does the time where the duration is unknown.
    const ifBegun = [...completion, { $set: { time: { $cond: [atEnd, '$$new.time', '$time'] } } }]
    const merge = { into: history.collectionName, on: ['user_id', 'content_id'], whenMatched: areNew ? 'fail' : ifBegun }
    const elements = ends.map(({ content_id, progress: { time = 0 } }) => ({ user_id, content_id, time }))
    await db.aggregate([{ $documents: elements }, ...completion, { $merge: merge }]).toArray()
  }

  return {
    /** Creates or updates the one element of a user and a content. Returns its id, if there is an element. */
    put: async (user_id: number, report: Report) => {
      const { content_id, earlier = [], progress } = report
      const found = { projection: { _id: 1 }, ...(earlier.length > 0 && newestFirst) } as const
      const idOf = async () => {
        const element = await history.findOne(writeOf(user_id, report, []).filter, found)
        return element ? String(element._id) : undefined
      }
      if ((await removedSince(user_id, [report])).length > 0) {
        // An earlier attempt may have brought the element back, and failed before it was removed again.
        await removeAgain(user_id, [report])
        return idOf()
      }

      let mayBeBack = false
      const { value } = await withRetries(async lostFor => {
        const { filter, update } = writeOf(user_id, report, pipelineOf([progress], completedAt, lostFor))
        const options = { ...found, upsert: true, returnDocument: 'after', includeResultMetadata: true } as const
        const result = await history.findOneAndUpdate(filter, update, options)
        // An attempt whose answer was lost may have added the element, and another request may have removed it since.
        mayBeBack = lostFor !== undefined || (progress.observed_at !== undefined && Boolean(result.lastErrorObject?.upserted))
        return result
      })
      if (mayBeBack) {
        await removeAgain(user_id, [report])
        return idOf()
      }
      const id = String((value as HistoryDocument)._id)
      contentIds.put(keyOf(user_id, id), content_id)
      return id
    },

    /** Like `put` for many reports, in one write. */
    putAll: async (user_id: number, reports: Report[]) => {
      const dropped = new Set(await removedSince(user_id, reports))
      const kept = reports.filter(report => !dropped.has(report))
      await writeOrRemove(user_id, kept, [...dropped])
    },

    /** Writes the reports, made now at the end, of the contents that are not completed. Returns how many. */
    markWatched: async (user_id: number, ends: Report[]) => {
      const leads = leadsOf(ends)
      let changed: number | undefined
      return withRetries(async lostFor => {
        const began = performance.now()
        const elements = await elementsOf(user_id, [...leads.keys()])
        const newest = newestOf(elements, leads)
        const left = ends.filter(({ content_id }) => !isCompleted(newest.get(content_id)?.percentage, completedAt))
        changed ??= left.length
        const isMoving = elements.some(({ content_id }) => leads.get(content_id) !== content_id)
        const areNew = !left.some(({ content_id }) => newest.has(content_id))
        const lostForNow = lostFor && lostFor + Math.ceil(performance.now() - began)
        // A merge would add an element under the present id. The updates write to the one under the earlier id.
        if (isMoving) await writeOrRemove(user_id, left)
        else if (left.length > 0) await complete(user_id, left, { areNew, lostFor: lostForNow })
        // A long write dates all elements at its beginning, and adds many of them later.
        await removeAgain(user_id, ends, longestRequest)
        return changed
      })
    },

    /** Takes contents back to before they were ever watched. Returns how many had been begun. */
    markUnwatched: async (user_id: number, contents: Reported[]) => {
      const leads = leadsOf(contents)
      const content_ids = [...leads.keys()]
      const begun = await elementsOf(user_id, content_ids, begunFilter)
      await withRetries(lostFor =>
        history.updateMany({ user_id, content_id: { $in: content_ids }, ...unlessLater(lostFor) }, unwatchedUpdate)
      )
      return new Set(begun.map(({ content_id }) => leads.get(content_id))).size
    },

    contentOf: async (user_id: number, id: string) => {
      const known = contentIds.get(keyOf(user_id, id))
      if (known !== undefined) return known
      const _id = historyId(id, historyUpdateNotFound)
      const element = await history.findOne({ _id, user_id }, { projection: { content_id: 1 } })
      if (!element) throw await forbiddenOr(historyUpdateNotFound, history, { _id })
      contentIds.put(keyOf(user_id, id), element.content_id)
      return element.content_id
    },

    update: async (user_id: number, id: string, progress: Progress) => {
      const _id = historyId(id, historyUpdateNotFound)
      // `user_id` also names the user to the streams of changes: driver/observing.ts reads it in the filters of writes.
      const { matchedCount } = await withRetries(lostFor =>
        history.updateOne({ _id, user_id }, pipelineOf([progress], completedAt, lostFor))
      )
      if (matchedCount === 0) throw await forbiddenOr(historyUpdateNotFound, history, { _id })
    }
  }
}
