import type { Collection, CollectionOptions, Db, Document, RunCommandOptions } from 'mongodb'
import { isUnavailable } from './faults.js'

/** An operation that has ended, also one that has failed: it may have taken effect. */
export interface Operation {
  collection: string
  /** The name of the method or the command. */
  kind: string
  milliseconds: number
}

/** A write that has ended. */
export interface Write {
  collection: string
  /** Whether its response was lost, so that it may still take effect. */
  isLost: boolean
  /** Returns the users that it names. */
  users: () => number[]
}

interface Observer {
  onEnd?: (operation: Operation) => void
  onWrite?: (write: Write) => void
}

const reads = ['aggregate', 'estimatedDocumentCount', 'find', 'findOne'] as const

const userIn = ({ user_id }: Document): number[] => (typeof user_id === 'number' ? [user_id] : [])

/** The methods that write, with the users that each names in its first argument. */
const writes = {
  insertOne: userIn,
  replaceOne: userIn,
  updateOne: userIn,
  updateMany: userIn,
  deleteOne: userIn,
  deleteMany: userIn,
  findOneAndUpdate: userIn,
  bulkWrite: (operations: Document[]) =>
    operations.flatMap(operation => {
      const { filter, document } = Object.values(operation)[0]
      return userIn(filter ?? document)
    })
}
const usersIn = new Map<string, (target: never) => number[]>(Object.entries(writes))

type Method = (...args: never[]) => unknown

const isCursor = (result: unknown): result is { once: (event: 'close', listener: () => void) => void } =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result

/** The database, observed. The driver's own command monitoring would parse each reply a second time. */
export const observed = (db: Db, { onEnd, onWrite }: Observer): Db => {
  const observedMethod =
    (collection: string, kind: string, method: Method): Method =>
    (...args) => {
      const began = performance.now()
      const end = (error?: unknown) => {
        onEnd?.({ collection, kind, milliseconds: performance.now() - began })
        const users = usersIn.get(kind)
        if (users) onWrite?.({ collection, isLost: isUnavailable(error), users: () => users(args[0] as never) })
      }
      const result = method(...args)
      if (isCursor(result)) result.once('close', () => end())
      else (result as Promise<unknown>).then(() => end(), end)
      return result
    }

  const observedCollection = (collection: Collection): Collection => {
    const ofEach = [...reads, ...(Object.keys(writes) as (keyof typeof writes)[])].map(kind => [
      kind,
      observedMethod(collection.collectionName, kind, collection[kind].bind(collection))
    ])
    return Object.assign(Object.create(collection), Object.fromEntries(ofEach))
  }

  return Object.assign(Object.create(db), {
    collection: (name: string, options?: CollectionOptions) => observedCollection(db.collection(name, options)),
    command: (command: Document, options?: RunCommandOptions) => {
      const [kind, named] = Object.entries(command)[0] as [string, unknown]
      // Nearly all commands name their collection first. A getMore begins with the id of its cursor.
      const collection = String(command.collection ?? named)
      return observedMethod(collection, kind, db.command.bind(db) as Method)(command as never, options as never)
    }
  })
}
