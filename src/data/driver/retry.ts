import { setTimeout as sleep } from 'node:timers/promises'
import { isDuplicate, isUnavailable } from './faults.js'

const pause = 50
/** Shorter than the deadline of a request with the default `DATABASE_TIMEOUT`. */
const timeout = 1500

/** Until when an operation that started then may be retried. */
export const retryDeadline = (began = Date.now()) => began + timeout

/**
 * Retries an operation after a duplicate key (two processes inserted at once, and the retry finds the other's document) or a lost
 * connection, which the driver retries only in some cases. An attempt whose answer was lost may have taken effect, so doing the operation
 * twice must have the same effect as once. `lostFor` is how long ago the first attempt began whose answer was lost, in milliseconds.
 */
export const withRetries = async <T>(operation: (lostFor?: number) => Promise<T>, until = retryDeadline()): Promise<T> => {
  let isFirst = true
  let lostSince: number | undefined
  for (;;) {
    const began = performance.now()
    try {
      return await operation(lostSince && Math.ceil(began - lostSince))
    } catch (error) {
      // A second attempt does not meet the same duplicate key again, so it is worth making however late the first one ended.
      const mayRetry = isDuplicate(error) ? isFirst || Date.now() <= until : isUnavailable(error) && Date.now() <= until
      if (!mayRetry) throw error
      isFirst = false
      if (!isDuplicate(error)) lostSince ??= began
      await sleep(pause)
    }
  }
}
