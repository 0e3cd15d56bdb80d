import { setTimeout as sleep } from 'node:timers/promises'
import { isDuplicate, isUnavailable } from './faults.js'

const pause = 50
/** Within the deadline of a request, which has the last word. */
const patience = 1500

/**
 * Repeats an idempotent write that two processes made at once (the second finds what the first inserted)
 * or that a broken connection cut off, since the driver's own retry hides only some of those.
 */
export const persist = async <T>(write: () => Promise<T>): Promise<T> => {
  const until = Date.now() + patience
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (!(isDuplicate(error) || isUnavailable(error)) || Date.now() > until) throw error
      await sleep(pause)
    }
  }
}
