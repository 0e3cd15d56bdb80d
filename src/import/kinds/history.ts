import { ObjectId } from 'mongodb'
import type { HistoryRecord } from '../../../schemas/import.js'
import type { HistoryDocument } from '../../data/history.js'
import { Repetitions } from '../checking/repetitions.js'
import type { Kind, Operation, Run } from '../kind.js'
import { momentOf } from '../reading/given.js'
import { Table } from '../reading/table.js'
import { patience } from '../writing/patience.js'
import { checkViewing, samePair } from './viewing.js'

/** An id of 24 hex characters in two numbers. */
const halves = (id: string) => [Number.parseInt(id.slice(0, 12), 16), Number.parseInt(id.slice(12), 16)] as const

/** A record that does not say when it was observed, or says a moment to come, is of the run's beginning. */
const observedAt = ({ updated_at }: HistoryRecord, startedAt: Date) => {
  const observed = momentOf(updated_at)
  return observed && observed < startedAt ? observed : startedAt
}

/**
 * One operation decides and writes, so that what a viewer watches meanwhile is never undone. A record of the
 * run's beginning counts where it says something else than what is stored.
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
  const owners = new Table(2, 2)
  const repetitions = new Repetitions()
  const startedAt = new Date()

  /** The elements that the database has under the ids of the records. */
  const storedElements = async (records: HistoryRecord[]) => {
    const ids = records.flatMap(({ _id }) => (_id === undefined ? [] : [new ObjectId(_id)]))
    if (ids.length === 0) return new Map<string, HistoryDocument>()
    const found = await collection.find({ _id: { $in: ids } }, { ...patience, projection: { user_id: 1, content_id: 1 } }).toArray()
    return new Map(found.map(element => [element._id.toHexString(), element]))
  }

  return {
    collection: 'history',

    async check(entries, report) {
      await checkViewing(run, entries, report)
      const stored = await storedElements(entries.map(({ record }) => record))
      for (const { record, place } of entries) {
        repetitions.add([record.user_id, record.content_id], observedAt(record, startedAt).getTime(), place)
        if (record._id === undefined) continue
        const key = halves(record._id)
        owners.add(key, record.user_id, record.content_id)
        const first = { user_id: owners.get(0, ...key) as number, content_id: owners.get(1, ...key) as number }
        if (!samePair(first, record) || !samePair(stored.get(record._id) ?? record, record))
          report(place, '_id', 'is that of another element')
      }
    },

    isReplaced: place => repetitions.isReplaced(place),

    operations: async records => records.map(record => operation(record, startedAt))
  }
}
