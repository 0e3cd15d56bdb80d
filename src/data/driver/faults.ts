import {
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
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
  MongoOperationTimeoutError,
  MongoNotConnectedError,
  MongoTopologyClosedError,
  MongoClientClosedError,
  MongoWriteConcernError
]

// What a server says while it steps down, starts, stops, or has no time left (MaxTimeMSExpired, NetworkInterfaceExceededTimeLimit, ...).
const passingCodes = new Set<unknown>([6, 7, 50, 64, 89, 91, 189, 202, 262, 9001, 10_107, 11_600, 11_602, 13_435, 13_436])

// The driver hands on as it is what a socket says that ends while it is written to.
const socketCodes = new Set<unknown>(['EPIPE', 'ECONNRESET'])

/** Whether the database could not be asked: a passing state, unlike a query that is wrong. */
export const isUnavailable = (error: unknown): boolean => {
  if (!(error instanceof MongoError)) return error instanceof Error && 'code' in error && socketCodes.has(error.code)
  // The driver wraps what befell the connection in the error of a bulk.
  if (error instanceof MongoBulkWriteError && error.errorResponse instanceof Error) return isUnavailable(error.errorResponse)
  if (connectionErrors.some(kind => error instanceof kind)) return true
  if (error.name === 'MongoWaitQueueTimeoutError') return true
  return error.hasErrorLabel(MongoErrorLabel.RetryableWriteError) || (error instanceof MongoServerError && passingCodes.has(error.code))
}
