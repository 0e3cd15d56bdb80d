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
  let hadDuplicate = false
  let lostSince: number | undefined
  for (;;) {
    const began = performance.now()
    try {
      return await operation(lostSince && Math.ceil(began - lostSince))
    } catch (error) {
      const isInTime = Date.now() <= until
      if (isDuplicate(error)) {
        // The next attempt does not meet the same key again, so it is worth making, however late this one ended.
        if (hadDuplicate && !isInTime) throw error
        hadDuplicate = true
      } else {
        if (!isUnavailable(error) || !isInTime) throw error
        lostSince ??= began
      }
      await sleep(pause)
    }
  }
}
