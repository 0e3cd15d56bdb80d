import { type AnyBulkWriteOperation, type Collection, type Db, type Filter, MongoBulkWriteError } from 'mongodb'
import { Cache } from '../cache.js'
import { historyUpdateNotFound } from '../errors.js'
import { isDuplicate } from './driver/faults.js'
import { findAll } from './driver/read-all.js'
import { retryDeadline, withRetries } from './driver/retry.js'
import { type HistoryDocument, historyId } from './history.js'
import { forbiddenOr } from './lists.js'
import { begunFilter, type Progress, pipelineOf, unwatchedUpdate } from './progress.js'
import { removalsOf, removerOf } from './removals.js'

/** What a player reports about a content. */
export interface Report {
  content_id: number
  /** Earlier ids of the content, under which its element may have been removed. */
  earlier?: number[]
  progress: Progress
}

const idsOf = ({ content_id, earlier = [] }: Report) => [content_id, ...earlier]

/** Enough for about twenty thousand elements. */
const cacheBytes = 4 * 1024 * 1024
const bytesOfId = 8
const keyOf = (user_id: number, id: string) => `${user_id} ${id}`

/** A report from the future counts as made now, after all that were made before. */
const observedIn = ({ progress: { observed_at } }: Report, now: number) =>
  observed_at && observed_at.getTime() < now ? observed_at.getTime() : Number.POSITIVE_INFINITY

/** The reports of each content, in the order of their observations. */
const byContent = (reports: Report[]) => {
  const now = Date.now()
  const contents = new Map<number, Progress[]>()
  // Infinity minus Infinity is NaN.
  for (const { content_id, progress } of reports.toSorted((a, b) => observedIn(a, now) - observedIn(b, now) || 0)) {
    const earlier = contents.get(content_id)
    if (earlier) earlier.push(progress)
    else contents.set(content_id, [progress])
  }
  return contents
}

/** Writes the reports of each content. Returns whether it may have brought elements back that had been removed. */
const writeAll = async (
  history: Collection<HistoryDocument>,
  { user_id, reports, completedAt }: { user_id: number; reports: Map<number, Progress[]>; completedAt: number }
) => {
  const lists = [...reports.values()]
  // A report without `observed_at` counts each time, so several of one content would count twice if they were sent again.
  const isRepeatable = lists.every(progress => progress.filter(({ observed_at }) => !observed_at).length < 2)
  const areDated = lists.flat().some(({ observed_at }) => observed_at)
  let left = [...reports]
  let areAdded = false
  let areLost = false
  const writeLeft = async (lostFor?: number) => {
    areLost ||= lostFor !== undefined
    const operations = left.map(([content_id, progress]): AnyBulkWriteOperation<HistoryDocument> => {
      const update = pipelineOf(progress, completedAt, lostFor)
      return { updateOne: { filter: { user_id, content_id }, update, upsert: true } }
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
    const removedAt = await removals.ofHistory(user_id, dated.flatMap(idsOf))
    return dated.filter(report => (report.progress.observed_at as Date).getTime() < removedAt(idsOf(report)))
  }

  const elementsOf = (user_id: number, content_ids: number[], state: Filter<HistoryDocument> = {}) =>
    findAll(db, history, { user_id, content_id: { $in: content_ids }, ...state })

  /** A late report may bring back an element while it is being removed. Removes it again, unless it is newer than the removal. */
  const removeAgain = async (user_id: number, reports: Report[]) => {
    const removedAt = await removals.ofHistory(user_id, reports.flatMap(idsOf))
    const bounds = new Map(reports.map(report => [report.content_id, removedAt(idsOf(report))]))
    const removed = [...bounds.keys()].filter(id => bounds.get(id) !== Number.NEGATIVE_INFINITY)
    if (removed.length === 0) return
    for (const element of await elementsOf(user_id, removed)) {
      const bound = bounds.get(element.content_id) as number
      if (element.updated_at.getTime() <= bound) await remover.again(element, new Date(bound))
    }
  }

  /** Adds completed elements, in a seventh of the time that upserts take. */
  const addCompleted = (user_id: number, ends: [content_id: number, time: number | undefined][]) => {
    const begun = ends.map(([content_id, time = 0]) => ({ user_id, content_id, time }))
    const added = { into: history.collectionName, on: ['user_id', 'content_id'], whenMatched: 'fail' }
    return db.aggregate([{ $documents: begun }, ...pipelineOf([{ percentage: 100 }], completedAt), { $merge: added }]).toArray()
  }

  return {
    /** Creates or updates the one element of a user and a content. Returns its id, if there is an element. */
    put: async (user_id: number, report: Report) => {
      const { content_id, progress } = report
      const filter = { user_id, content_id }
      const idOf = async () => {
        const element = await history.findOne(filter, { projection: { _id: 1 } })
        return element ? String(element._id) : undefined
      }
      if ((await removedSince(user_id, [report])).length > 0) return idOf()

      let mayBeBack = false
      const { value } = await withRetries(async lostFor => {
        const changes = pipelineOf([progress], completedAt, lostFor)
        const options = { upsert: true, returnDocument: 'after', includeResultMetadata: true, projection: { _id: 1 } } as const
        const result = await history.findOneAndUpdate(filter, changes, options)
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
      if (kept.length === 0) return
      const written = byContent(kept)
      if (await writeAll(history, { user_id, reports: written, completedAt })) await removeAgain(user_id, kept)
    },

    /** Completes the contents that are not completed, as a report made now at their end would. Returns how many. */
    markWatched: async (user_id: number, ends: Map<number, number | undefined>) => {
      let changed: number | undefined
      return withRetries(async () => {
        const elements = await elementsOf(user_id, [...ends.keys()])
        const percentages = new Map(elements.map(({ content_id, percentage }) => [content_id, percentage]))
        const left = [...ends].filter(([content_id]) => (percentages.get(content_id) ?? 0) < completedAt)
        changed ??= left.length
        const added = left.filter(([content_id]) => !percentages.has(content_id))
        if (added.length > 0) await addCompleted(user_id, added)
        const updated = left.filter(([content_id]) => percentages.has(content_id))
        const reports = new Map(updated.map(([content_id, time]) => [content_id, [{ time, percentage: 100 }]]))
        if (updated.length > 0) await writeAll(history, { user_id, reports, completedAt })
        return changed
      })
    },

    /** Takes elements back to before they were ever watched. Returns how many had been begun. */
    markUnwatched: async (user_id: number, content_ids: number[]) => {
      const begun = await elementsOf(user_id, content_ids, begunFilter)
      await withRetries(() => history.updateMany({ user_id, content_id: { $in: content_ids } }, unwatchedUpdate))
      return begun.length
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
      // `user_id` also names the user to the streams of changes: nudges.ts reads it in the filters of writes.
      const { matchedCount } = await withRetries(lostFor =>
        history.updateOne({ _id, user_id }, pipelineOf([progress], completedAt, lostFor))
      )
      if (matchedCount === 0) throw await forbiddenOr(historyUpdateNotFound, history, { _id })
    }
  }
}
