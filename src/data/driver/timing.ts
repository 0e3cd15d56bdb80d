import type { AggregateOptions, Collection, CollectionOptions, Db, Document, RunCommandOptions } from 'mongodb'

/** Returns the function to call with the duration of an operation. */
export type TimerOf = (collection: string, kind: string) => (milliseconds: number) => void

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
  'updateMany',
  'updateOne'
] as const

type Operation = (...args: never[]) => unknown

const isCursor = (result: unknown): result is { once: (event: 'close', listener: () => void) => void } =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result

const timedOperation = (operation: Operation, onEnd: (milliseconds: number) => void): Operation => {
  return (...args) => {
    const began = performance.now()
    const end = () => onEnd(performance.now() - began)
    const result = operation(...args)
    if (isCursor(result)) result.once('close', end)
    else (result as Promise<unknown>).then(end, end)
    return result
  }
}

const timedCollection = (collection: Collection<Document>, timerOf: TimerOf) => {
  const name = collection.collectionName
  const operations = kinds.map(kind => [kind, timedOperation(collection[kind].bind(collection), timerOf(name, kind))])
  return Object.assign(Object.create(collection), Object.fromEntries(operations))
}

/** Measures all operations of a database. The driver's own command monitoring would parse each reply a second time. */
export const timed = (db: Db, timerOf: TimerOf): Db =>
  Object.assign(Object.create(db), {
    collection: (name: string, options?: CollectionOptions) => timedCollection(db.collection(name, options), timerOf),
    // Documents that are merged into a collection.
    aggregate: (stages: Document[], options?: AggregateOptions) =>
      timedOperation(db.aggregate.bind(db), timerOf(stages.at(-1)?.$merge.into, 'aggregate'))(stages as never, options as never),
    command: (command: Document, options?: RunCommandOptions) => {
      const [kind, named] = Object.entries(command)[0] as [string, unknown]
      // Nearly all commands name their collection first. A getMore begins with the id of its cursor.
      return timedOperation(db.command.bind(db) as Operation, timerOf(String(command.collection ?? named), kind))(
        command as never,
        options as never
      )
    }
  })
