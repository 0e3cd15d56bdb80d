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
import { isDuplicate, isUnavailable } from '../database/faults.js'
import { findAll } from '../database/read-all.js'
import { withoutLostRaces, withRetries } from '../database/retry.js'
import { historyUpdateNotFound } from '../errors.js'
import { removalsOf, removerOf } from '../sync/removals.js'
import { minutes } from '../time.js'
import { type HistoryDocument, historyId } from './history.js'
import { forbiddenOr } from './lists.js'
import { begunFilter, hasBegun, isCompleted, type Progress, pipelineOf, unwatchedUpdate } from './progress.js'

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

/** A report without `observed_at` counts each time that it is written. */
const isRepeatable = (reports: Progress[]) => reports.every(({ observed_at }) => observed_at !== undefined)

/** Writes the reports of each content. Returns how many elements have changed, and whether some may be back that had been removed. */
const writeAll = async (
  history: Collection<HistoryDocument>,
  { user_id, reports, completedAt }: { user_id: number; reports: ContentReports[]; completedAt: number },
  elementsOf: (user_id: number, content_ids: number[]) => Promise<HistoryDocument[]>
) => {
  let left = reports
  let changed = 0
  let mayBeBack = false
  const count = ({ modifiedCount, upsertedCount }: { modifiedCount: number; upsertedCount: number }) => {
    changed += modifiedCount + upsertedCount
    mayBeBack ||= upsertedCount > 0
  }
  const writeLeft = async () => {
    // A bulk write cannot choose between several elements.
    const leads = leadsOf(left.filter(({ earlier = [] }) => earlier.length > 0))
    const newest = leads.size > 0 ? newestOf(await elementsOf(user_id, [...leads.keys()]), leads) : undefined
    const operations = left.map((one): AnyBulkWriteOperation<HistoryDocument> => {
      const changes = pipelineOf(one.progress, completedAt)
      return { updateOne: { ...writeOf(user_id, one, changes, newest?.get(one.content_id)?._id), upsert: true } }
    })
    try {
      count(await history.bulkWrite(operations, { ordered: false }))
    } catch (error) {
      if (error instanceof MongoBulkWriteError && isDuplicate(error)) {
        // The others were written.
        const failed = new Set([error.writeErrors].flat().map(({ index }) => index))
        left = left.filter((_, i) => failed.has(i))
        count(error)
      } else mayBeBack = true
      throw error
    }
  }
  const areRepeatable = reports.every(({ progress }) => isRepeatable(progress))
  await (areRepeatable ? withRetries(writeLeft) : withoutLostRaces(writeLeft))
  return { changed, mayBeBack: mayBeBack && reports.some(({ progress }) => progress.some(({ observed_at }) => observed_at)) }
}

/** Writes what players report. A report that was made before its element was removed, and arrives later, is dropped. */
export const reportsOf = (db: Db, completedAt: number) => {
  const history: Collection<HistoryDocument> = db.collection('history')
  const removals = removalsOf(db)
  const remover = removerOf(db, 'history')
  /** The content id of each element, by user and element. It may be the earlier id of a content, which leads to the present one. */
  const contentIds = new Cache<string, number>(cacheBytes, () => bytesOfId)
  let knownLeads: object | undefined
  /** `leads` changes when earlier ids lead elsewhere: elements may have been moved since their content ids were stored. */
  const contentIdsFor = (leads: object | undefined) => {
    if (leads !== knownLeads) contentIds.clear()
    knownLeads = leads
    return contentIds
  }

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

  const writeMany = (user_id: number, reports: Report[]) =>
    writeAll(history, { user_id, reports: byContent(reports), completedAt }, elementsOf)

  return {
    /** Creates or updates the one element of a user and a content. Returns its id, if there is an element. */
    put: async (user_id: number, report: Report, leads?: object) => {
      const { earlier = [], progress } = report
      const found = { projection: { content_id: 1 }, ...(earlier.length > 0 && newestFirst) } as const
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
      const write = async () => {
        const { filter, update } = writeOf(user_id, report, pipelineOf([progress], completedAt))
        const options = { ...found, upsert: true, returnDocument: 'after', includeResultMetadata: true } as const
        const { value, lastErrorObject } = await history.findOneAndUpdate(filter, update, options).catch(error => {
          mayBeBack = isUnavailable(error)
          throw error
        })
        mayBeBack ||= Boolean(lastErrorObject?.upserted)
        return value as HistoryDocument
      }
      const { _id, content_id } = await (isRepeatable([progress]) ? withRetries(write) : withoutLostRaces(write))
      // A report of earlier may have added the element again, after another request had removed it.
      if (mayBeBack && progress.observed_at) {
        await removeAgain(user_id, [report])
        return idOf()
      }
      const id = String(_id)
      contentIdsFor(leads).put(keyOf(user_id, id), content_id)
      return id
    },

    /** Like `put` for many reports, in one write. */
    putAll: async (user_id: number, reports: Report[]) => {
      const dropped = new Set(await removedSince(user_id, reports))
      const kept = reports.filter(report => !dropped.has(report))
      const mayBeBack = kept.length > 0 && (await writeMany(user_id, kept)).mayBeBack
      const inDoubt = mayBeBack ? reports : [...dropped]
      if (inDoubt.length > 0) await removeAgain(user_id, inDoubt)
    },

    /** Completes the contents that are not completed. Returns how many. */
    markWatched: async (user_id: number, ends: Report[]) => {
      const leads = leadsOf(ends)
      const newest = newestOf(await elementsOf(user_id, [...leads.keys()]), leads)
      const left = ends.filter(({ content_id }) => !isCompleted(newest.get(content_id)?.percentage, completedAt))
      if (left.length === 0) return 0
      const { changed } = await writeMany(user_id, left)
      // A long write dates all elements at its beginning, and adds many of them later.
      await removeAgain(user_id, left, longestRequest)
      return changed
    },

    /** Takes contents back to before they were ever watched. Returns how many had been begun. */
    markUnwatched: async (user_id: number, contents: Reported[]) => {
      const leads = leadsOf(contents)
      const elements = await elementsOf(user_id, [...leads.keys()])
      if (elements.length === 0) return 0
      // Of the elements of one content, one counts, unless it was taken back meanwhile.
      const begun = new Map(elements.filter(hasBegun).map(({ _id, content_id }) => [leads.get(content_id), _id]))
      const counted = new Set(begun.values())
      // An update for each element, because the driver repeats no update of many.
      const operations = elements.map(({ _id }): AnyBulkWriteOperation<HistoryDocument> => {
        const filter = { _id, user_id, ...(counted.has(_id) && begunFilter) }
        return { updateOne: { filter, update: unwatchedUpdate } }
      })
      const { matchedCount } = await history.bulkWrite(operations, { ordered: false })
      return Math.max(0, matchedCount - (elements.length - counted.size))
    },

    contentOf: async (user_id: number, id: string, leads?: object) => {
      const known = contentIdsFor(leads).get(keyOf(user_id, id))
      if (known !== undefined) return known
      const _id = historyId(id, historyUpdateNotFound)
      const element = await history.findOne({ _id, user_id }, { projection: { content_id: 1 } })
      if (!element) throw await forbiddenOr(historyUpdateNotFound, history, { _id })
      contentIds.put(keyOf(user_id, id), element.content_id)
      return element.content_id
    },

    update: async (user_id: number, id: string, progress: Progress) => {
      const _id = historyId(id, historyUpdateNotFound)
      // `user_id` also names the user to the streams of changes: observing.ts reads it in the filters of writes.
      const write = () => history.updateOne({ _id, user_id }, pipelineOf([progress], completedAt))
      const { matchedCount } = await (isRepeatable([progress]) ? withRetries(write) : write())
      if (matchedCount === 0) throw await forbiddenOr(historyUpdateNotFound, history, { _id })
    }
  }
}
