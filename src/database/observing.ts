import type { Collection, CollectionOptions, Db, Document, RunCommandOptions } from 'mongodb'

/** An operation that has ended, even one that has failed, because it may have taken effect. */
export interface Operation {
  collection: string
  /** The name of the method or the command. */
  kind: string
  milliseconds: number
}

const methods = [
  'aggregate',
  'estimatedDocumentCount',
  'find',
  'findOne',
  'insertOne',
  'replaceOne',
  'updateOne',
  'updateMany',
  'deleteOne',
  'deleteMany',
  'findOneAndUpdate',
  'bulkWrite'
] as const

type Method = (...args: never[]) => unknown

const isCursor = (result: unknown): result is { once: (event: 'close', listener: () => void) => void } =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result

/** The database, with a listener. The driver's own command monitoring would parse each reply a second time. */
export const observed = (db: Db, onEnd: (operation: Operation) => void): Db => {
  const observedMethod =
    (collection: string, kind: string, method: Method): Method =>
    (...args) => {
      const began = performance.now()
      const end = () => onEnd({ collection, kind, milliseconds: performance.now() - began })
      const result = method(...args)
      if (isCursor(result)) result.once('close', end)
      else (result as Promise<unknown>).then(end, end)
      return result
    }

  const observedCollection = (collection: Collection): Collection => {
    const ofEach = methods.map(kind => [kind, observedMethod(collection.collectionName, kind, collection[kind].bind(collection))])
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
