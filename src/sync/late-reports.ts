import { type AnyBulkWriteOperation, type Collection, type Db, MongoBulkWriteError, type ObjectId } from 'mongodb'
import { isDuplicate, isUnavailable } from '../database/faults.js'
import { findAll } from '../database/read-all.js'
import { withDuplicateRetries, withRetries } from '../database/retry.js'
import { minutes } from '../time.js'
import type { HistoryDocument } from '../viewing/history.js'
import type { Progress, Report, Reported } from '../viewing/progress.js'
import { updateByAll } from './dated-progress.js'
import { type Remover, removalsOf } from './removals.js'
import type { Teller } from './telling.js'

const idsOf = ({ content_id, earlier = [] }: Reported) => [content_id, ...earlier]

/** The current id of each item, by each of its ids. */
const currentIdsOf = (contents: Reported[]) => new Map(contents.flatMap(one => idsOf(one).map(id => [id, one.content_id] as const)))

/** Sorts the elements of several ids so that the one that stays when they are merged comes first. */
const lastReportedFirst = { sort: { updated_at: -1 }, hint: { user_id: 1, content_id: 1 } } as const

/** A report from the future counts as made now, after all others. */
const observedIn = ({ progress: { observed_at } }: Report, now: number) =>
  observed_at && observed_at.getTime() < now ? observed_at.getTime() : Number.POSITIVE_INFINITY

interface ContentReports extends Reported {
  progress: Progress[]
}

/** The reports of each item, in the order of observation. */
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

/** More than a request may take, retries included. */
const longestRequest = minutes(1)

const isDated = ({ observed_at }: Progress) => observed_at !== undefined

/** A report without `observed_at` counts each time that it is written. */
const retriesFor = (progress: Progress[]) => (progress.every(isDated) ? withRetries : withDuplicateRetries)

/**
 * Writes reports that a device kept while it was offline, and reports and marks of items that have replaced others, whose elements may
 * still be stored under an earlier id. Drops a report that was made before its element was removed.
 */
export const lateReportsOf = (db: Db, { remover, tell, completedAt }: { remover: Remover; tell: Teller; completedAt: number }) => {
  const history: Collection<HistoryDocument> = db.collection('history')
  const removals = removalsOf(db, tell)

  const elementsOf = (user_id: number, content_ids: number[]) =>
    withRetries(() => findAll(db, history, { user_id, content_id: { $in: content_ids } }))

  /** The elements of these items, under any of their ids, each with the current id of its item. */
  const storedOf = async (user_id: number, contents: Reported[]) => {
    const currentIds = currentIdsOf(contents)
    const elements = currentIds.size > 0 ? await elementsOf(user_id, [...currentIds.keys()]) : []
    return elements.map(element => [currentIds.get(element.content_id) as number, element] as const)
  }

  /** The newest element of each item, by its current id. */
  const newestOf = async (user_id: number, contents: Reported[]) => {
    const stored = await storedOf(user_id, contents)
    return new Map(stored.toSorted(([, one], [, other]) => Number(one.updated_at) - Number(other.updated_at)))
  }

  /**
   * An element that has not been moved yet is written under the earlier id, so that its completions are known. If there are several,
   * `known` is the one to write; a `findOneAndUpdate` sorts instead.
   */
  const writeOf = (user_id: number, content: ContentReports, known?: ObjectId) => {
    const { content_id, earlier = [], progress } = content
    const changes = updateByAll(progress, completedAt)
    if (earlier.length === 0) return { filter: { user_id, content_id }, update: changes }
    const ifNew = { $set: { content_id: { $ifNull: ['$content_id', content_id] } } }
    return { filter: { user_id, content_id: { $in: idsOf(content) }, ...(known && { _id: known }) }, update: [ifNew, ...changes] }
  }

  /** The reports that were observed before their element was removed. */
  const droppedOf = async (user_id: number, reports: Report[]) => {
    const dated = reports.filter(({ progress }) => isDated(progress))
    if (dated.length === 0) return []
    const cutOffOf = await removals.ofHistory(user_id, dated.flatMap(idsOf))
    return dated.filter(report => (report.progress.observed_at as Date).getTime() < cutOffOf(idsOf(report)))
  }

  /** A write may recreate elements while they are being removed. Removes them again, unless they are newer than the removal. */
  const removeAgain = async (user_id: number, contents: Reported[], within?: number) => {
    const cutOffOf = await removals.ofHistory(user_id, contents.flatMap(idsOf), within)
    const cutOffs = new Map(contents.flatMap(one => idsOf(one).map(id => [id, cutOffOf(idsOf(one))] as const)))
    const removed = [...cutOffs.keys()].filter(id => cutOffs.get(id) !== Number.NEGATIVE_INFINITY)
    if (removed.length === 0) return
    const back = new Map<number, number[]>()
    for (const { content_id, updated_at } of await elementsOf(user_id, removed)) {
      const cutOff = cutOffs.get(content_id) as number
      if (updated_at.getTime() <= cutOff) back.set(cutOff, [...(back.get(cutOff) ?? []), content_id])
    }
    for (const [cutOff, content_ids] of back) await remover.again(user_id, content_ids, new Date(cutOff))
  }

  /** Returns how many elements have changed, and whether removed ones may have been recreated. */
  const writeAll = async (user_id: number, contents: ContentReports[]) => {
    let left = contents
    let changed = 0
    let mayBeBack = false
    const count = ({ modifiedCount, upsertedCount }: { modifiedCount: number; upsertedCount: number }) => {
      changed += modifiedCount + upsertedCount
      mayBeBack ||= upsertedCount > 0
    }
    await retriesFor(contents.flatMap(({ progress }) => progress))(async () => {
      // A bulk write cannot choose between several elements.
      const newest = await newestOf(
        user_id,
        left.filter(({ earlier = [] }) => earlier.length > 0)
      )
      const operations = left.map((one): AnyBulkWriteOperation<HistoryDocument> => {
        return { updateOne: { ...writeOf(user_id, one, newest.get(one.content_id)?._id), upsert: true } }
      })
      try {
        count(await tell(user_id, () => history.bulkWrite(operations, { ordered: false })))
      } catch (error) {
        mayBeBack ||= isUnavailable(error)
        if (error instanceof MongoBulkWriteError && isDuplicate(error)) {
          count(error)
          // All others were written.
          const failed = new Set([error.writeErrors].flat().map(({ index }) => index))
          left = left.filter((_, i) => failed.has(i))
        }
        throw error
      }
    })
    return { changed, mayBeBack: mayBeBack && contents.some(({ progress }) => progress.some(isDated)) }
  }

  return {
    /**
     * Creates or updates the one element of a user and an item. Returns it, if there is one afterwards: a report from before a removal
     * writes nothing, and what is written while a removal runs is removed again.
     */
    put: async (user_id: number, report: Report) => {
      const content = { ...report, progress: [report.progress] }
      const { filter, update } = writeOf(user_id, content)
      const found = { projection: { content_id: 1 }, ...(report.earlier?.length && lastReportedFirst) } as const
      if ((await droppedOf(user_id, [report])).length > 0) {
        // An earlier attempt may have recreated the element, and failed before it was removed again.
        await removeAgain(user_id, [report])
        return history.findOne(filter, found)
      }

      let mayBeBack = false
      const write = async () => {
        const options = { ...found, upsert: true, returnDocument: 'after', includeResultMetadata: true } as const
        const { value, lastErrorObject } = await tell(user_id, () => history.findOneAndUpdate(filter, update, options)).catch(error => {
          mayBeBack = isUnavailable(error)
          throw error
        })
        mayBeBack ||= Boolean(lastErrorObject?.upserted)
        return value
      }
      const element = await retriesFor(content.progress)(write)
      // The write may have recreated the element after another request had removed it.
      if (!mayBeBack || !isDated(report.progress)) return element
      await removeAgain(user_id, [report])
      return history.findOne(filter, found)
    },

    update: (element: Pick<HistoryDocument, '_id' | 'user_id'>, progress: Progress) =>
      withRetries(() => tell(element.user_id, () => history.updateOne(element, updateByAll([progress], completedAt)))),

    /** Like `put` for many reports, in one write. */
    putAll: async (user_id: number, reports: Report[]) => {
      const dropped = new Set(await droppedOf(user_id, reports))
      const kept = reports.filter(report => !dropped.has(report))
      const mayBeBack = kept.length > 0 && (await writeAll(user_id, byContent(kept))).mayBeBack
      const inDoubt = mayBeBack ? reports : [...dropped]
      if (inDoubt.length > 0) await removeAgain(user_id, inDoubt)
    },

    /** Returns how many elements have changed. */
    putMarks: async (user_id: number, marks: Report[]) => {
      const { changed } = await writeAll(user_id, byContent(marks))
      // A long write dates all elements at its start, but inserts many of them later.
      await removeAgain(user_id, marks, longestRequest)
      return changed
    },

    storedOf,
    newestOf
  }
}
export type LateReports = ReturnType<typeof lateReportsOf>
