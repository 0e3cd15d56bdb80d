import { type Db, type Document, Long, MongoServerError, Timestamp } from 'mongodb'
import { seconds } from '../time.js'
import { type Change, changesPipeline } from './events.js'

/** How long a read waits for changes, in milliseconds. */
const awaitTime = 500
const mostAtOnce = 1000

/** A resume token of the change stream. */
export type Position = Document

/** Where to start: after a position, at a moment, or now. */
export type Beginning = { startAfter: Position } | { startAtOperationTime: Timestamp } | Record<string, never>

export const sinceMoment = (moment: Date): Beginning => ({
  startAtOperationTime: new Timestamp({ t: Math.floor(moment.getTime() / seconds(1)), i: 0 })
})

interface Batch {
  changes: Change[]
  /** The position after these changes. */
  position: Position
}

/** The errors for a position that the oplog no longer has, or that belongs to another replica set. */
const lostCodes = new Set<unknown>([260, 280, 286])
export const isLost = (error: unknown) => error instanceof MongoServerError && lostCodes.has(error.code)

/** Whether the server has no change streams, because it is not a member of a replica set. */
export const isStandalone = async (db: Db) => {
  const { setName, msg } = await db.command({ hello: 1 })
  return setName === undefined && msg !== 'isdbgrid'
}

/**
 * Reads changes in batches. Uses its own commands, because the driver's change stream shows neither where a batch ends nor the position
 * after it.
 */
export async function* changesSince(db: Db, beginning: Beginning, signal: AbortSignal): AsyncGenerator<Batch, never, void> {
  const session = db.client.startSession()
  try {
    const first = { aggregate: 1, pipeline: [{ $changeStream: beginning }, ...changesPipeline], cursor: { batchSize: 0 } }
    let { cursor } = await db.command(first, { session, signal })
    for (;;) {
      yield { changes: cursor.firstBatch ?? cursor.nextBatch, position: cursor.postBatchResumeToken }
      const next = { getMore: Long.fromValue(cursor.id), collection: '$cmd.aggregate', batchSize: mostAtOnce, maxTimeMS: awaitTime }
      cursor = (await db.command(next, { session, signal })).cursor
    }
  } finally {
    // Ends the cursor as well.
    await session.endSession().catch(() => undefined)
  }
}
