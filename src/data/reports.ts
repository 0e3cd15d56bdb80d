import type { AnyBulkWriteOperation, Collection, Db } from 'mongodb'
import { Cache } from '../cache.js'
import { historyUpdateNotFound } from '../errors.js'
import { withRetries } from './driver/retry.js'
import { type HistoryDocument, historyId } from './history.js'
import { forbiddenOr } from './owned.js'
import { type Progress, progressUpdate } from './progress.js'
import { removalsOf, soonAfter } from './removals.js'

/** What a player reports about a content. */
export interface Report {
  content_id: number
  progress: Progress
}

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

/** Writes what players report. A report that was made before its element was removed, and arrives later, is dropped. */
export const reportsOf = (db: Db, completedAt: number) => {
  const history: Collection<HistoryDocument> = db.collection('history')
  const removals = removalsOf(db)
  /** The content of each element, by user and element. It never changes. */
  const contents = new Cache<string, number>(cacheBytes, () => bytesOfId)

  const removedSince = async (user_id: number, reports: Report[]) => {
    const dated = reports.filter(({ progress }) => progress.observed_at)
    if (dated.length === 0) return []
    const removedAt = await removals.ofHistory(
      user_id,
      dated.map(({ content_id }) => content_id)
    )
    return dated.filter(({ content_id, progress: { observed_at } }) => (observed_at as Date).getTime() < removedAt(content_id))
  }

  /** Removes the elements that late reports have brought back, because they were written while the elements were being removed. */
  const removeAgain = async (user_id: number, reports: Report[]) => {
    for (const { content_id, progress } of await removedSince(user_id, reports)) {
      const mark = await removals.markOne(user_id, 'history', content_id)
      const broughtBack = { user_id, content_id, updated_at: { $lte: progress.observed_at as Date } }
      await withRetries(() => history.deleteOne({ ...broughtBack, ...soonAfter(mark) }))
    }
  }

  return {
    /** Creates or updates the one element of a user and a content. Returns its id, if there is an element. */
    put: async (user_id: number, report: Report) => {
      const { content_id, progress } = report
      const filter = { user_id, content_id }
      const wanted = { projection: { _id: 1 } } as const
      const idOf = async () => {
        const element = await history.findOne(filter, wanted)
        return element ? String(element._id) : undefined
      }
      if ((await removedSince(user_id, [report])).length > 0) return idOf()

      const changes = progressUpdate([progress], completedAt)
      const { value, lastErrorObject } = await withRetries(() =>
        history.findOneAndUpdate(filter, changes, { upsert: true, returnDocument: 'after', includeResultMetadata: true, ...wanted })
      )
      if (progress.observed_at && lastErrorObject?.upserted) {
        await removeAgain(user_id, [report])
        return idOf()
      }
      const id = String((value as HistoryDocument)._id)
      contents.put(keyOf(user_id, id), content_id)
      return id
    },

    /** Like `put` for many reports, in one write. */
    putAll: async (user_id: number, reports: Report[]) => {
      const dropped = new Set(await removedSince(user_id, reports))
      const kept = reports.filter(report => !dropped.has(report))
      const operations = [...byContent(kept)].map(
        ([content_id, progress]): AnyBulkWriteOperation<HistoryDocument> => ({
          updateOne: { filter: { user_id, content_id }, update: progressUpdate(progress, completedAt), upsert: true }
        })
      )
      if (operations.length === 0) return
      const { upsertedCount } = await withRetries(() => history.bulkWrite(operations, { ordered: false }))
      if (upsertedCount > 0) await removeAgain(user_id, kept)
    },

    contentOf: async (user_id: number, id: string) => {
      const known = contents.get(keyOf(user_id, id))
      if (known !== undefined) return known
      const _id = historyId(id, historyUpdateNotFound)
      const element = await history.findOne({ _id, user_id }, { projection: { content_id: 1 } })
      if (!element) throw await forbiddenOr(historyUpdateNotFound, history, { _id })
      contents.put(keyOf(user_id, id), element.content_id)
      return element.content_id
    },

    update: async (user_id: number, id: string, progress: Progress) => {
      const _id = historyId(id, historyUpdateNotFound)
      const { matchedCount } = await withRetries(() => history.updateOne({ _id, user_id }, progressUpdate([progress], completedAt)))
      if (matchedCount === 0) throw await forbiddenOr(historyUpdateNotFound, history, { _id })
    }
  }
}
