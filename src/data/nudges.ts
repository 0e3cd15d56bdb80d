import type { AggregateOptions, Collection, CollectionOptions, Db, Document, IndexDescription } from 'mongodb'
import { seconds } from '../time.js'
import { withRetries } from './driver/retry.js'
import { eachList } from './viewer-lists.js'

/** Tells other processes that the lists of some users may have changed. */
export interface Nudge {
  /** The process that sends it. */
  from: string
  /** Counts the nudges of the process from 0, so that a missing one is noticed. */
  seq: number
  users: number[]
  /** Whether it is the last one of the process. */
  isLast: boolean
}
interface NudgeDocument extends Nudge {
  _id: string
  at: Date
}

export const nudgeIndexes: IndexDescription[] = [{ key: { at: 1 }, expireAfterSeconds: 60 }]

/** A nudge becomes visible after its date, so each read goes back a little further than the last one got. */
const overlap = seconds(1)

export const nudgesOf = (db: Db) => {
  const nudges: Collection<NudgeDocument> = db.collection('nudges')
  return {
    /** Sending one again changes nothing. */
    send: ({ from, seq, users, isLast }: Nudge) => {
      const fields = { from, seq, users: { $literal: users }, isLast, at: { $ifNull: ['$at', '$$NOW'] } }
      return withRetries(() => nudges.updateOne({ _id: `${from} ${seq}` }, [{ $set: fields }], { upsert: true }))
    },

    /** Those since the date, which is that of the newest one that was read, or those of the last `milliseconds`. The oldest comes first. */
    since: (last: Date | number) => {
      const filter: Document =
        typeof last === 'number'
          ? { $expr: { $gte: ['$at', { $subtract: ['$$NOW', last] }] } }
          : { at: { $gte: new Date(last.getTime() - overlap) } }
      const all = { projection: { _id: 0 }, sort: { at: 1, seq: 1 }, batchSize: 100_000 } as const
      return nudges.find<Nudge & Pick<NudgeDocument, 'at'>>(filter, all).toArray()
    }
  }
}

/** The collections in which GET /changes finds something. */
const followed = new Set<string>(['removals', ...eachList.map(([name]) => name)])

const writes = [
  'insertOne',
  'replaceOne',
  'updateOne',
  'updateMany',
  'bulkWrite',
  'deleteOne',
  'deleteMany',
  'findOneAndDelete',
  'findOneAndReplace',
  'findOneAndUpdate'
] as const

/** The users that a filter, a document, or each operation of a bulk write names. */
const usersOf = (target: Document): number[] =>
  Array.isArray(target)
    ? target.flatMap(operation => usersOf((Object.values(operation)[0] as { filter: Document }).filter))
    : typeof target.user_id === 'number'
      ? [target.user_id]
      : []

/**
 * Calls back after each write with the users whose lists it may have changed, also if it has failed: it may have taken effect. Every write
 * to these lists that changes what is sent has to name its users.
 */
export const noticing = (db: Db, onWrite: (users: number[]) => void): Db => {
  const noticed = (collection: Collection) => {
    const operations = writes.map(kind => [
      kind,
      (...args: [Document, ...never[]]) => {
        const result: Promise<unknown> = Reflect.apply(collection[kind], collection, args)
        const end = () => onWrite(usersOf(args[0]))
        result.then(end, end)
        return result
      }
    ])
    return Object.assign(Object.create(collection), Object.fromEntries(operations)) as Collection
  }
  return Object.assign(Object.create(db), {
    collection: (name: string, options?: CollectionOptions) => {
      const collection = db.collection(name, options)
      return followed.has(name) ? noticed(collection) : collection
    },
    /** Adds documents to one of the lists. */
    aggregate: (stages: Document[], options?: AggregateOptions) => {
      const cursor = db.aggregate(stages, options)
      const added: Document[] = stages[0]?.$documents
      if (followed.has(stages.at(-1)?.$merge.into)) cursor.once('close', () => onWrite([...new Set(added.flatMap(usersOf))]))
      return cursor
    }
  })
}
