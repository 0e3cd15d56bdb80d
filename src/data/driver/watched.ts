import type { Collection, Db, Document } from 'mongodb'

/** Gives what is to be told of the operations of a kind when they have ended. */
export type OperationsOf = (collection: string, kind: string) => (milliseconds: number) => void

const kinds = [
  'aggregate',
  'bulkWrite',
  'deleteMany',
  'deleteOne',
  'estimatedDocumentCount',
  'find',
  'findOne',
  'findOneAndUpdate',
  'insertOne',
  'replaceOne',
  'updateOne'
] as const

type Operation = (...args: never[]) => unknown

const isCursor = (result: unknown): result is { once: (event: 'close', listener: () => void) => void } =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result

const watchedOperation = (operation: Operation, onEnd: (milliseconds: number) => void): Operation => {
  return (...args) => {
    const began = performance.now()
    const end = () => onEnd(performance.now() - began)
    const result = operation(...args)
    if (isCursor(result)) result.once('close', end)
    else (result as Promise<unknown>).then(end, end)
    return result
  }
}

const watchedCollection = (collection: Collection<Document>, operationsOf: OperationsOf) => {
  const name = collection.collectionName
  const operations = kinds.map(kind => [kind, watchedOperation(collection[kind].bind(collection), operationsOf(name, kind))])
  return Object.assign(Object.create(collection), Object.fromEntries(operations))
}

/** The database, whose operations are told of. (The driver's own monitoring parses each answer a second time.) */
export const watched = (db: Db, operationsOf: OperationsOf): Db =>
  Object.assign(Object.create(db), {
    collection: (name: string) => watchedCollection(db.collection(name), operationsOf),
    command: (command: Document) => {
      const [kind, collection] = Object.entries(command)[0] as [string, unknown]
      return watchedOperation(db.command.bind(db) as Operation, operationsOf(String(collection), kind))(command as never)
    }
  })
