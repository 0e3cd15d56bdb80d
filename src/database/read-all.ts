import { BSON, type ClientSession, type Collection, type Db, type Document, type Filter, Long, type Timestamp } from 'mongodb'
import { seconds } from '../time.js'
import { isAlone } from './faults.js'
import { withRetries } from './retry.js'

// Reads of all rows at once, without the driver's cursor, which takes twice the processor time of the command itself. Nearly always the
// rows fit into one batch, which has up to 16 MB: about 178,000 elements of a history.
// They read from the primary (connection.ts), so that viewers see their own writes. They are not repeated after a lost connection:
// plugins/admission.ts repeats the whole route.

/** More than fits into a batch, so that only its bytes limit it. */
const batchSize = 1_000_000

type Named = Pick<Collection, 'collectionName'>

interface Batch {
  id: Long | number
  /** With `raw`, only one: the bytes of the array of all rows. */
  rows: unknown[]
  atClusterTime?: Timestamp
}

const batchOf = (cursor: Document | Uint8Array): Batch => {
  if (cursor instanceof Uint8Array) return rawBatchOf(cursor)
  const { id, firstBatch, nextBatch, atClusterTime } = cursor
  return { id, rows: firstBatch ?? nextBatch, atClusterTime }
}

/** The rows are the first field of a cursor. */
const rawBatchOf = (cursor: Uint8Array): Batch => {
  const bytes = Buffer.from(cursor.buffer, cursor.byteOffset, cursor.length)
  const begin = bytes.indexOf(0, 5) + 1
  const end = begin + bytes.readInt32LE(begin)
  const others = Buffer.concat([bytes.subarray(0, 4), bytes.subarray(end)])
  others.writeInt32LE(others.length)
  return { id: BSON.deserialize(others).id, rows: [bytes.subarray(begin, end)] }
}

interface Read {
  db: Db
  collectionName: string
  command: Document
  /** Returns the rows of each batch as bytes. */
  raw?: boolean
}

/** All rows of a command that returns a cursor, and the time of the snapshot if it reads one. */
const readAll = <Row>({ db, collectionName, command, raw = false }: Read) =>
  // Only the session that has opened a cursor may read on. Without an explicit session, each command has its own.
  db.client.withSession(async session => {
    const { cursor } = await db.command(command, { session, raw })
    const { id, rows, atClusterTime } = batchOf(cursor)
    if (id !== 0) await readRest({ db, collectionName, session, raw }, id, rows)
    return { rows: rows as Row[], atClusterTime }
  })

const readRest = async (
  { db, collectionName, session, raw = false }: Omit<Read, 'command'> & { session: ClientSession },
  first: Long | number,
  rows: unknown[]
) => {
  // The driver reads an id below 2 ** 53, which one cursor in a thousand has, as a number. The server takes only longs.
  let id = first
  try {
    while (id !== 0) {
      const { cursor } = await db.command({ getMore: Long.fromValue(id), collection: collectionName, batchSize }, { session, raw })
      const batch = batchOf(cursor)
      for (const row of batch.rows) rows.push(row)
      id = batch.id
    }
  } catch (error) {
    // It would stay open for ten minutes.
    withRetries(() => db.command({ killCursors: collectionName, cursors: [Long.fromValue(id)] })).catch(() => undefined)
    throw error
  }
}

export const aggregateAll = async <T>(db: Db, { collectionName }: Named, pipeline: Document[]): Promise<T[]> => {
  const command = { aggregate: collectionName, pipeline, cursor: { batchSize } }
  return (await readAll<T>({ db, collectionName, command })).rows
}

/** The same for `columnReader`: each batch as the bytes of an array. */
export const aggregateRaw = async (db: Db, { collectionName }: Named, pipeline: Document[], options: { hint: Document }) => {
  const command = { aggregate: collectionName, pipeline, cursor: { batchSize }, ...options }
  return (await readAll<Buffer>({ db, collectionName, command, raw: true })).rows
}

/** Databases of standalone servers, which keep no snapshots and roll nothing back. */
const withoutSnapshots = new WeakSet<Db>()

/** Reads a state that no change of primary can roll back. `committedAt` is its time, which falls behind while members of the set lag. */
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
