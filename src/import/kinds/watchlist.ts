import type { WatchlistRecord } from '../../../schemas/import.js'
import { counterOf } from '../../data/counters.js'
import type { WatchlistDocument } from '../../data/watchlist.js'
import type { Kind, Operation, Run } from '../kind.js'
import { momentOf } from '../reading/given.js'
import { Table } from '../reading/table.js'
import { patience } from '../writing/patience.js'
import { checkViewing, samePair } from './viewing.js'

const textOf = ({ user_id, content_id }: Pick<WatchlistDocument, 'user_id' | 'content_id'>) => `${user_id} ${content_id}`

export const watchlist = (run: Run): Kind<WatchlistRecord> => {
  const collection = run.db.collection<WatchlistDocument>('watchlist')
  const counter = counterOf(run.db, 'watchlist')
  const owners = new Table(1, 2)
  const newest = new Table(2, 1)
  const startedAt = new Date()
  let highest = 0

  const createdAt = ({ created_at }: WatchlistRecord) => momentOf(created_at) ?? startedAt

  /** The elements that the database has under the ids of the records. */
  const storedElements = async (records: WatchlistRecord[]) => {
    const ids = records.flatMap(({ id }) => id ?? [])
    if (ids.length === 0) return new Map<number, WatchlistDocument>()
    const found = await collection.find({ _id: { $in: ids } }, { ...patience, projection: { user_id: 1, content_id: 1 } }).toArray()
    return new Map(found.map(element => [element._id, element]))
  }

  const storedPairs = async (records: WatchlistRecord[]) => {
    const filter = {
      user_id: { $in: [...new Set(records.map(({ user_id }) => user_id))] },
      content_id: { $in: [...new Set(records.map(({ content_id }) => content_id))] }
    }
    const found = collection.find<WatchlistDocument>(filter, { ...patience, projection: { _id: 0, user_id: 1, content_id: 1 } })
    const pairs = new Set<string>()
    for await (const pair of found) pairs.add(textOf(pair))
    return pairs
  }

  const insertion = (record: WatchlistRecord, _id: number): Operation => {
    const { user_id, content_id } = record
    const created_at = createdAt(record)
    const updated_at = momentOf(record.updated_at) ?? created_at
    return { updateOne: { filter: { user_id, content_id }, update: { $setOnInsert: { _id, created_at, updated_at } }, upsert: true } }
  }

  return {
    collection: 'watchlist',

    async check(entries, report) {
      await checkViewing(run, entries, report)
      const stored = await storedElements(entries.map(({ record }) => record))
      for (const { record, place } of entries) {
        const { id, user_id, content_id } = record
        const at = createdAt(record).getTime()
        if (!newest.add([user_id, content_id], at) && at > (newest.get(0, user_id, content_id) as number))
          newest.set(0, at, user_id, content_id)
        if (id === undefined) continue
        highest = Math.max(highest, id)
        owners.add([id], user_id, content_id)
        const first = { user_id: owners.get(0, id) as number, content_id: owners.get(1, id) as number }
        if (!samePair(first, record) || !samePair(stored.get(id) ?? record, record)) report(place, 'id', 'is that of another element')
      }
    },

    begin: async () => highest > 0 && counter.moveTo(highest),

    async operations(records) {
      const stored = await storedPairs(records)
      const missing = new Map<string, WatchlistRecord>()
      for (const record of records) {
        const isNewest = createdAt(record).getTime() === newest.get(0, record.user_id, record.content_id)
        if (isNewest && !stored.has(textOf(record))) missing.set(textOf(record), record)
      }
      const newcomers = [...missing.values()]
      const nameless = newcomers.filter(({ id }) => id === undefined).length
      let next = nameless === 0 ? 0 : await counter.nextBlock(nameless)
      return newcomers.map(record => insertion(record, record.id ?? next++))
    }
  }
}
