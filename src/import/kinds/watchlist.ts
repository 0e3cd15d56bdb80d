import type { Collection } from 'mongodb'
import type { WatchlistRecord } from '../../../schemas/import.js'
import { counterOf } from '../../data/counters.js'
import { notAfterNow, orElse } from '../../data/lists.js'
import { arrivalIfNew } from '../../data/removals.js'
import type { WatchlistDocument } from '../../data/watchlist.js'
import type { ImportRun, Kind, Operation } from '../kind.js'
import { momentOf } from '../reading/moments.js'
import { Table } from '../table.js'
import { operationTimeout } from '../timeouts.js'
import { checkReferences, uniqueIds } from './user-content-pairs.js'

const textOf = ({ user_id, content_id }: Pick<WatchlistDocument, 'user_id' | 'content_id'>) => `${user_id} ${content_id}`

/** The elements in the database that have the ids of the records. */
const storedElements = async (collection: Collection<WatchlistDocument>, records: WatchlistRecord[]) => {
  const ids = records.flatMap(({ id }) => id ?? [])
  if (ids.length === 0) return new Map<number, WatchlistDocument>()
  const found = await collection.find({ _id: { $in: ids } }, { ...operationTimeout, projection: { user_id: 1, content_id: 1 } }).toArray()
  return new Map(found.map(element => [element._id, element]))
}

const storedPairs = async (collection: Collection<WatchlistDocument>, records: WatchlistRecord[]) => {
  const filter = {
    user_id: { $in: [...new Set(records.map(({ user_id }) => user_id))] },
    content_id: { $in: [...new Set(records.map(({ content_id }) => content_id))] }
  }
  const found = collection.find<WatchlistDocument>(filter, { ...operationTimeout, projection: { _id: 0, user_id: 1, content_id: 1 } })
  const pairs = new Set<string>()
  for await (const pair of found) pairs.add(textOf(pair))
  return pairs
}

export const watchlist = (run: ImportRun): Kind<WatchlistRecord> => {
  const collection = run.db.collection<WatchlistDocument>('watchlist')
  const counter = counterOf(run.db, 'watchlist')
  const checkId = uniqueIds(new Table(1, 2), 'id')
  const newest = new Table(2, 1)
  const startedAt = new Date()
  let highest = 0

  const createdAt = ({ created_at }: WatchlistRecord) => momentOf(created_at) ?? startedAt

  const insertion = (record: WatchlistRecord, _id: number): Operation => {
    const { user_id, content_id } = record
    const created_at = createdAt(record)
    const updated_at = momentOf(record.updated_at) ?? created_at
    // If a viewer adds the content in the meantime, that element stays as it is.
    const update = [
      {
        $set: {
          arrived_at: arrivalIfNew,
          _id: orElse('_id', _id),
          created_at: orElse('created_at', notAfterNow(created_at)),
          updated_at: orElse('updated_at', notAfterNow(updated_at))
        }
      }
    ]
    return { updateOne: { filter: { user_id, content_id }, update, upsert: true } }
  }

  return {
    collection: 'watchlist',

    async check(entries, report) {
      await checkReferences(run, entries, report)
      const stored = await storedElements(
        collection,
        entries.map(({ record }) => record)
      )
      for (const { record, place } of entries) {
        const { id, user_id, content_id } = record
        const at = createdAt(record).getTime()
        if (!newest.add([user_id, content_id], at) && at > (newest.get(0, user_id, content_id) as number))
          newest.set(0, at, user_id, content_id)
        if (id === undefined) continue
        highest = Math.max(highest, id)
        checkId([id], record, stored.get(id), place, report)
      }
    },

    begin: async () => highest > 0 && counter.moveTo(highest),

    async operations(records) {
      const stored = await storedPairs(collection, records)
      const missing = new Map<string, WatchlistRecord>()
      for (const record of records) {
        const isNewest = createdAt(record).getTime() === newest.get(0, record.user_id, record.content_id)
        if (isNewest && !stored.has(textOf(record))) missing.set(textOf(record), record)
      }
      const added = [...missing.values()]
      const withoutId = added.filter(({ id }) => id === undefined).length
      let next = withoutId === 0 ? 0 : await counter.nextBlock(withoutId)
      return added.map(record => insertion(record, record.id ?? next++))
    }
  }
}
