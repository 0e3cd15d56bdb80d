import { type ClientSession, type Collection, type Db, type Document, type Filter, Long, type Timestamp } from 'mongodb'
import { seconds } from '../time.js'
import { isAlone } from './faults.js'
import { withRetries } from './retry.js'

// Reads all rows at once, without the driver's cursor, which takes twice the processor time of the command itself. The rows nearly always
// fit into one batch of up to 16 MB, about 178,000 elements of a history.
// These functions read from the primary (connection.ts), so that viewers see their own writes. They do not retry after a lost connection,
// because plugins/admission.ts retries a whole GET. Writers that read call them inside `withRetries`.

/** More than fits into a batch, so that only its bytes limit it. */
const batchSize = 1_000_000

type Named = Pick<Collection, 'collectionName'>

const batchOf = ({ id, firstBatch, nextBatch, atClusterTime }: Document) => ({
  id: id as Long | number,
  rows: (firstBatch ?? nextBatch) as unknown[],
  atClusterTime: atClusterTime as Timestamp | undefined
})

/**
 * Leaves the rows as bytes. Not `raw`, which also leaves the parts of an error as bytes: the driver stores one of them, the topology
 * version, and breaks at the next error of any command.
 */
const rowsAsBytes = { fieldsAsRaw: { firstBatch: true, nextBatch: true } }

interface Read {
  db: Db
  collectionName: string
  command: Document
  format?: typeof rowsAsBytes | undefined
}

/** All rows of a command that returns a cursor, and the time of the snapshot if it reads one. */
const readAll = <Row>({ db, collectionName, command, format }: Read) =>
  // Only the session that opened a cursor may continue it. Without an explicit session, each command has its own.
  db.client.withSession(async session => {
    const { cursor } = await db.command(command, { session, ...format })
    const { id, rows, atClusterTime } = batchOf(cursor)
    if (id !== 0) await readRest({ db, collectionName, session, format }, id, rows)
    return { rows: rows as Row[], atClusterTime }
  })

const readRest = async (
  { db, collectionName, session, format }: Omit<Read, 'command'> & { session: ClientSession },
  first: Long | number,
  rows: unknown[]
) => {
  // The driver reads an id below 2 ** 53, which one cursor in a thousand has, as a number. The server takes only longs.
  let id = first
  try {
    while (id !== 0) {
      const { cursor } = await db.command({ getMore: Long.fromValue(id), collection: collectionName, batchSize }, { session, ...format })
      const batch = batchOf(cursor)
      for (const row of batch.rows) rows.push(row)
      id = batch.id
    }
  } catch (error) {
    // The cursor would stay open for ten minutes.
    withRetries(() => db.command({ killCursors: collectionName, cursors: [Long.fromValue(id)] })).catch(() => undefined)
    throw error
  }
}

export const aggregateAll = async <T>(db: Db, { collectionName }: Named, pipeline: Document[]): Promise<T[]> => {
  const command = { aggregate: collectionName, pipeline, cursor: { batchSize } }
  return (await readAll<T>({ db, collectionName, command })).rows
}

/** The same for `columnReader`: each row as bytes. */
export const aggregateRaw = async (db: Db, { collectionName }: Named, pipeline: Document[], options: { hint: Document }) => {
  const command = { aggregate: collectionName, pipeline, cursor: { batchSize }, ...options }
  return (await readAll<Uint8Array>({ db, collectionName, command, format: rowsAsBytes })).rows
}

/** Databases of standalone servers, which keep no snapshots and roll nothing back. */
const withoutSnapshots = new WeakSet<Db>()

/** Reads a state that no change of primary can roll back. `committedAt` is its time, which falls behind if members of the set lag. */
export const aggregateCommitted = async <T>(db: Db, { collectionName }: Named, pipeline: Document[]) => {
  const command = { aggregate: collectionName, pipeline, cursor: { batchSize } }
  if (!withoutSnapshots.has(db)) {
    try {
      const snapshot = { ...command, readConcern: { level: 'snapshot' } }
      const { rows, atClusterTime } = await readAll<T>({ db, collectionName, command: snapshot })
      return { rows, committedAt: seconds((atClusterTime as Timestamp).getHighBits()) }
    } catch (error) {
      if (!isAlone(error)) throw error
      withoutSnapshots.add(db)
    }
  }
  const { rows } = await readAll<T>({ db, collectionName, command })
  return { rows, committedAt: Number.POSITIVE_INFINITY }
}

export const findAll = async <T extends Document>(db: Db, { collectionName }: Collection<T>, filter: Filter<T>): Promise<T[]> => {
  const command = { find: collectionName, filter, batchSize }
  return (await readAll<T>({ db, collectionName, command })).rows
}
