import { setTimeout as sleep } from 'node:timers/promises'
import { isDuplicate, isUnavailable } from './faults.js'

const pause = 50
/** Within the deadline of a request, which has the last word. */
const patience = 1500

/** Until when something that begins now may be begun again. */
export const patienceFromNow = () => Date.now() + patience

/**
 * Repeats an idempotent operation that two processes made at once (the second finds what the first inserted)
 * or that a broken connection cut off, since the driver's own retry hides only some of those.
 */
export const persist = async <T>(operation: () => Promise<T>, until = patienceFromNow()): Promise<T> => {
  for (;;) {
    try {
      return await operation()
    } catch (error) {
      if (!(isDuplicate(error) || isUnavailable(error)) || Date.now() > until) throw error
      await sleep(pause)
    }
  }
}
