import {
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoWriteConcernError
} from 'mongodb'

export const duplicateKey = 11_000

export const isDuplicate = (error: unknown) => error instanceof MongoServerError && error.code === duplicateKey

const connectionErrors = [
  MongoNetworkError,
  MongoServerSelectionError,
  MongoNotConnectedError,
  MongoTopologyClosedError,
  MongoClientClosedError,
  MongoWriteConcernError
]

/** Whether a standalone server refused what only members of a replica set can do. */
export const isAlone = (error: unknown) => error instanceof MongoServerError && error.codeName === 'NotAReplicaSet'

// Sent by a server that is stepping down, starting, stopping or out of time (MaxTimeMSExpired, NetworkInterfaceExceededTimeLimit, ...),
// that has no snapshot of the collection yet (SnapshotUnavailable), or that did not open the cursor, because another one has taken over
// (CursorNotFound).
const transientCodes = new Set<unknown>([6, 7, 43, 50, 64, 89, 91, 189, 202, 246, 262, 9001, 10_107, 11_600, 11_602, 13_435, 13_436])

// The driver does not wrap the error of a socket that closes during a write.
const socketCodes = new Set<unknown>(['EPIPE', 'ECONNRESET'])

/** Whether the failure is temporary. A bad query is not. */
export const isUnavailable = (error: unknown): boolean => {
  if (!(error instanceof MongoError)) return error instanceof Error && 'code' in error && socketCodes.has(error.code)
  // A bulk write wraps the error of its connection.
  if (error instanceof MongoBulkWriteError && error.errorResponse instanceof Error) return isUnavailable(error.errorResponse)
  if (connectionErrors.some(kind => error instanceof kind)) return true
  if (error.name === 'MongoWaitQueueTimeoutError') return true
  return error.hasErrorLabel(MongoErrorLabel.RetryableWriteError) || (error instanceof MongoServerError && transientCodes.has(error.code))
}
