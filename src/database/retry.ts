import { setTimeout as sleep } from 'node:timers/promises'
import { isDuplicate, isUnavailable } from './faults.js'

const pause = 50
/** Shorter than the deadline of a request with the default `DATABASE_TIMEOUT`. */
const timeout = 1500

/** Until when an operation may be retried, given its start. */
export const retryDeadline = (began = Date.now()) => began + timeout

const retry = async <T>(operation: () => Promise<T>, isPassing: (error: unknown) => boolean, until: number): Promise<T> => {
  let hadDuplicate = false
  for (;;) {
    try {
      return await operation()
    } catch (error) {
      // The attempt after a first duplicate will not meet the same key again, so it is worth making, however late it is.
      const isFirstDuplicate: boolean = isDuplicate(error) && !hadDuplicate
      const mayPass = isFirstDuplicate || (Date.now() <= until && (isDuplicate(error) || isPassing(error)))
      if (!mayPass) throw error
      hadDuplicate ||= isFirstDuplicate
      await sleep(pause)
    }
  }
}

/**
 * Retries an operation after a duplicate key (two processes inserted at once, and the retry finds the other's document) or a lost
 * connection, which the driver retries only in some cases. An attempt whose response was lost may have taken effect, so doing the operation
 * twice must have the same effect as once.
 */
export const withRetries = <T>(operation: () => Promise<T>, until = retryDeadline()) => retry(operation, isUnavailable, until)

/**
 * Retries a write that is not idempotent, only after a duplicate key. After a lost connection, the driver retries it if it can ensure that
 * it takes effect once (retryable writes, which need a replica set). Otherwise the caller gets a 503.
 */
export const withDuplicateRetries = <T>(operation: () => Promise<T>) => retry(operation, () => false, retryDeadline())
