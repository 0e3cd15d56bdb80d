import type { AggregateOptions, Collection, CollectionOptions, Db, Document, RunCommandOptions } from 'mongodb'

/** An operation that has ended, also one that has failed: it may have taken effect. */
export interface Operation {
  collection: string
  /** The name of the method or the command; `merge` if documents were merged into the collection. */
  kind: string
  isWrite: boolean
  milliseconds: number
  args: readonly unknown[]
}

const reads = ['aggregate', 'estimatedDocumentCount', 'find', 'findOne'] as const
const writes = ['bulkWrite', 'deleteMany', 'deleteOne', 'findOneAndUpdate', 'insertOne', 'replaceOne', 'updateMany', 'updateOne'] as const
const writeKinds = new Set<string>([...writes, 'merge'])

type Method = (...args: never[]) => unknown

const isCursor = (result: unknown): result is { once: (event: 'close', listener: () => void) => void } =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result

/**
 * The database, with a call of `onEnd` after each operation. The driver's own command monitoring would parse each reply a second time.
 */
export const observed = (db: Db, onEnd: (operation: Operation) => void): Db => {
  const observedMethod =
    (collection: string, kind: string, method: Method): Method =>
    (...args) => {
      const isWrite = writeKinds.has(kind)
      const began = performance.now()
      const end = () => onEnd({ collection, kind, isWrite, milliseconds: performance.now() - began, args })
      const result = method(...args)
      if (isCursor(result)) result.once('close', end)
      else (result as Promise<unknown>).then(end, end)
      return result
    }

  const observedCollection = (collection: Collection): Collection => {
    const ofEach = [...reads, ...writes].map(kind => [
      kind,
      observedMethod(collection.collectionName, kind, collection[kind].bind(collection))
    ])
    return Object.assign(Object.create(collection), Object.fromEntries(ofEach))
  }

  return Object.assign(Object.create(db), {
    collection: (name: string, options?: CollectionOptions) => observedCollection(db.collection(name, options)),
    aggregate: (stages: Document[], options?: AggregateOptions) =>
      observedMethod(stages.at(-1)?.$merge.into, 'merge', db.aggregate.bind(db))(stages as never, options as never),
    command: (command: Document, options?: RunCommandOptions) => {
      const [kind, named] = Object.entries(command)[0] as [string, unknown]
      // Nearly all commands name their collection first. A getMore begins with the id of its cursor.
      const collection = String(command.collection ?? named)
      return observedMethod(collection, kind, db.command.bind(db) as Method)(command as never, options as never)
    }
  })
}
