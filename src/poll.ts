import { setTimeout as sleep } from 'node:timers/promises'
import { seconds } from './time.js'

const interval = seconds(1)

/** Waits a second, runs `check` and repeats this until `signal` aborts. Reports only the first of several failures in a row. */
export const poll = async (check: () => Promise<void>, signal: AbortSignal, onFailure: (error: unknown) => void) => {
  const nextTurn = () => sleep(interval, true, { signal }).catch(() => false)
  let isFailing = false
  while (await nextTurn()) {
    try {
      await check()
      isFailing = false
    } catch (error) {
      if (!isFailing && !signal.aborted) onFailure(error)
      isFailing = true
    }
  }
}
