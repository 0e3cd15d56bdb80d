import { ObjectId } from 'mongodb'
import type { HistoryRecord } from '../../../schemas/import.js'
import type { HistoryDocument } from '../../data/history.js'
import { SupersededRecords } from '../checking/superseded.js'
import type { Kind, Operation, Run } from '../kind.js'
import { momentOf } from '../reading/moments.js'
import { Table } from '../table.js'
import { operationTimeout } from '../timeouts.js'
import { checkReferences, uniqueIds } from './user-content-pairs.js'

/** An id of 24 hexadecimal characters as two numbers. */
const halves = (id: string) => [Number.parseInt(id.slice(0, 12), 16), Number.parseInt(id.slice(12), 16)] as const

/** `updated_at`, or the start of the run if it is missing or in the future. */
const observedAt = ({ updated_at }: HistoryRecord, startedAt: Date) => {
  const observed = momentOf(updated_at)
  return observed && observed < startedAt ? observed : startedAt
}

/**
 * The database compares and writes in one operation, so that an import never undoes what a viewer watches in the meantime. A
 * record dated to the start of the run only counts if it differs from what is stored, or every run would change the element.
 */
const operation = (record: HistoryRecord, startedAt: Date): Operation => {
  const { user_id, content_id, time = 0, percentage = 0 } = record
  const updated_at = observedAt(record, startedAt)
  const created_at = momentOf(record.created_at)

  const isNewer = { $gte: [updated_at, { $ifNull: ['$updated_at', updated_at] }] }
  const differs = { $or: [{ $ne: ['$time', time] }, { $ne: ['$percentage', percentage] }] }
  const counts = updated_at < startedAt ? isNewer : { $and: [isNewer, differs] }
  const update = [
    {
      $set: {
        _id: { $ifNull: ['$_id', new ObjectId(record._id)] },
        time: { $cond: [counts, time, '$time'] },
        percentage: { $cond: [counts, percentage, '$percentage'] },
        created_at: created_at ? { $cond: [counts, created_at, '$created_at'] } : { $ifNull: ['$created_at', updated_at] },
        updated_at: { $cond: [counts, updated_at, '$updated_at'] }
      }
    }
  ]
  return { updateOne: { filter: { user_id, content_id }, update, upsert: true } }
}

export const history = (run: Run): Kind<HistoryRecord> => {
  const collection = run.db.collection<HistoryDocument>('history')
  const checkId = uniqueIds(new Table(2, 2), '_id')
  const superseded = new SupersededRecords()
  const startedAt = new Date()

  /** The elements in the database that have the ids of the records. */
  const storedElements = async (records: HistoryRecord[]) => {
    const ids = records.flatMap(({ _id }) => (_id === undefined ? [] : [new ObjectId(_id)]))
    if (ids.length === 0) return new Map<string, HistoryDocument>()
    const found = await collection.find({ _id: { $in: ids } }, { ...operationTimeout, projection: { user_id: 1, content_id: 1 } }).toArray()
    return new Map(found.map(element => [element._id.toHexString(), element]))
  }

  return {
    collection: 'history',

    async check(entries, report) {
      await checkReferences(run, entries, report)
      const stored = await storedElements(entries.map(({ record }) => record))
      for (const { record, place } of entries) {
        superseded.add([record.user_id, record.content_id], observedAt(record, startedAt).getTime(), place)
        if (record._id !== undefined) checkId(halves(record._id), record, stored.get(record._id), place, report)
      }
    },

    isSuperseded: place => superseded.isSuperseded(place),

    operations: async records => records.map(record => operation(record, startedAt))
  }
}
