import type { Collection, Db } from 'mongodb'
import { Cache } from '../cache.js'
import { withDuplicateRetries } from '../database/retry.js'
import { forbiddenOr, historyUpdateNotFound } from '../errors.js'
import type { LateReports, Teller } from '../sync/index.js'
import { type HistoryDocument, historyId } from './history.js'
import { type Progress, type Report, updateBy } from './progress.js'

/** Enough for about twenty thousand elements. */
const cacheBytes = 4 * 1024 * 1024
const bytesOfId = 8
const keyOf = (user_id: number, id: string) => `${user_id} ${id}`

export const reportsOf = (db: Db, { late, tell, completedAt }: { late: LateReports; tell: Teller; completedAt: number }) => {
  const history: Collection<HistoryDocument> = db.collection('history')
  /** The content id of each element, by user and element, which saves a later PUT a read. It may be an earlier id. */
  const contentIds = new Cache<string, number>(cacheBytes, () => bytesOfId)
  let knownVersion: object | undefined
  /**
   * `idsVersion` is a new object when earlier ids stand for other items: elements may have been moved since their content ids were cached.
   */
  const contentIdsFor = (idsVersion: object | undefined) => {
    if (idsVersion !== knownVersion) contentIds.clear()
    knownVersion = idsVersion
    return contentIds
  }

  const putNow = async (user_id: number, { content_id, progress }: Report) => {
    const options = { upsert: true, returnDocument: 'after', projection: { content_id: 1 } } as const
    const write = () => history.findOneAndUpdate({ user_id, content_id }, [updateBy(progress, completedAt)], options)
    return (await withDuplicateRetries(() => tell(user_id, write))) as HistoryDocument
  }

  return {
    /** Creates or updates the one element of a user and an item. Returns its id, if there is an element. */
    put: async (user_id: number, report: Report, idsVersion?: object) => {
      // A dated report may come late, and the element of an item that has replaced another may be stored under its earlier id.
      const isPlain = !report.progress.observed_at && !report.earlier?.length
      const element = await (isPlain ? putNow(user_id, report) : late.put(user_id, report))
      if (!element) return undefined
      const id = String(element._id)
      contentIdsFor(idsVersion).set(keyOf(user_id, id), element.content_id)
      return id
    },

    /** Like `put` for many reports, in one write. */
    putAll: late.putAll,

    contentOf: async (user_id: number, id: string, idsVersion?: object) => {
      const known = contentIdsFor(idsVersion).get(keyOf(user_id, id))
      if (known !== undefined) return known
      const _id = historyId(id, historyUpdateNotFound)
      const element = await history.findOne({ _id, user_id }, { projection: { content_id: 1 } })
      if (!element) throw await forbiddenOr(historyUpdateNotFound, history, { _id })
      contentIds.set(keyOf(user_id, id), element.content_id)
      return element.content_id
    },

    update: async (user_id: number, id: string, progress: Progress) => {
      const element = { _id: historyId(id, historyUpdateNotFound), user_id }
      const updateNow = () => tell(user_id, () => history.updateOne(element, [updateBy(progress, completedAt)]))
      const { matchedCount } = await (progress.observed_at ? late.update(element, progress) : updateNow())
      if (matchedCount === 0) throw await forbiddenOr(historyUpdateNotFound, history, { _id: element._id })
    }
  }
}
