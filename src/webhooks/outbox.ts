import { type AnyBulkWriteOperation, type Db, type Filter, type IndexDescription, MongoBulkWriteError } from 'mongodb'
import { duplicateKey, isDuplicate } from '../database/faults.js'
import { withRetries } from '../database/retry.js'
import { days } from '../time.js'
import type { EventType } from './events.js'

/** An event for an endpoint. */
export interface OutboxDocument {
  _id: { endpoint: string; id: string }
  type: EventType
  body: string
  /** The profile, if the event is to be removed with its erasure. */
  user_id?: number
  at: Date
  attempts: number
  /** When to send it next. Missing once it has been delivered. */
  due_at?: Date
}

export const outboxName = 'webhook_events'
/** With `at`, so that it covers the queries for all waiting events. */
const waitingIndex = { '_id.endpoint': 1, due_at: 1, at: 1 } as const
export const outboxIndexes: IndexDescription[] = [
  { key: waitingIndex, partialFilterExpression: { due_at: { $exists: true } } },
  { key: { '_id.endpoint': 1, at: 1 } },
  { key: { user_id: 1 }, sparse: true }
]

const endOfTime = new Date(8.64e15)

const keptFor = days(4)
/** How many events of an endpoint are kept. */
const mostKept = 1_000_000
/** Removing more would take longer than an operation may. */
const removedAtOnce = 5000

/** The result of an attempt: delivered, or when it is due again. */
export interface Result {
  _id: OutboxDocument['_id']
  dueIn?: number
}

export const outboxOf = (db: Db) => {
  const outbox = db.collection<OutboxDocument>(outboxName)
  // Not `$exists`, which an index cannot cover.
  const waiting = (endpoint: string) => ({ '_id.endpoint': endpoint, due_at: { $gt: new Date(0) } })

  /** Returns how many of them were still waiting. */
  const removeUntil = async (endpoint: string, at: Date) => {
    const old: Filter<OutboxDocument> = { '_id.endpoint': endpoint, at: { $lte: at } }
    let lost = 0
    for (;;) {
      const some = { projection: { due_at: 1 }, sort: { at: 1 }, limit: removedAtOnce, batchSize: removedAtOnce } as const
      const found = await outbox.find(old, some).toArray()
      if (found.length === 0) return lost
      await outbox.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } })
      lost += found.filter(({ due_at }) => due_at).length
    }
  }

  return {
    /** Idempotent. */
    add: async (events: OutboxDocument[]) => {
      await withRetries(() => outbox.insertMany(events, { ordered: false }).catch(ignoreDuplicates))
    },

    /** The events to be sent now, the longest due first. */
    due: (endpoint: string, limit: number) =>
      outbox.find({ '_id.endpoint': endpoint, due_at: { $lte: new Date() } }, { sort: { due_at: 1 }, limit, batchSize: limit }).toArray(),

    record: (results: Result[]) =>
      withRetries(() =>
        outbox.bulkWrite(
          results.map(({ _id, dueIn }): AnyBulkWriteOperation<OutboxDocument> => {
            const update = dueIn === undefined ? { $unset: { due_at: '' as const } } : { $set: { due_at: new Date(Date.now() + dueIn) } }
            return { updateOne: { filter: { _id }, update: { ...update, $inc: { attempts: 1 } } } }
          }),
          { ordered: false }
        )
      ),

    /** Makes all waiting events due now, and starts their attempts over. */
    makeWaitingDue: (endpoint: string) =>
      withRetries(() => outbox.updateMany(waiting(endpoint), { $set: { due_at: new Date(), attempts: 0 } })),

    /** Makes delivered events due again. Returns how many. */
    makeDueAgain: async (endpoint: string, since: Date) => {
      const delivered = { '_id.endpoint': endpoint, at: { $gte: since }, due_at: { $exists: false } }
      const again = { $set: { due_at: new Date(), attempts: 0 } }
      return (await withRetries(() => outbox.updateMany(delivered, again))).modifiedCount
    },

    clear: () => outbox.deleteMany({}),

    remove: (endpoint: string) => removeUntil(endpoint, endOfTime),

    /** Removes events that are too old or too many. Returns how many of them were never delivered. */
    prune: async (endpoint: string, most = mostKept) => {
      const newest = { projection: { at: 1 }, sort: { at: -1 }, skip: most, limit: 1 } as const
      const beyond = await outbox.find({ '_id.endpoint': endpoint }, newest).toArray()
      return removeUntil(endpoint, new Date(Math.max(Date.now() - keptFor, ...beyond.map(({ at }) => at.getTime()))))
    },

    /** How many events are waiting, and since when the oldest. */
    state: async (endpoint: string) => {
      const group = { $group: { _id: null, count: { $sum: 1 }, since: { $min: '$at' } } }
      const [all] = await outbox
        .aggregate<{ count: number; since: Date }>([{ $match: waiting(endpoint) }, group], { hint: waitingIndex })
        .toArray()
      return all ?? { count: 0, since: undefined }
    }
  }
}
export type Outbox = ReturnType<typeof outboxOf>

const ignoreDuplicates = (error: unknown) => {
  const isOnlyDuplicates = error instanceof MongoBulkWriteError && [error.writeErrors].flat().every(one => one.code === duplicateKey)
  if (!(isDuplicate(error) && isOnlyDuplicates)) throw error
}
