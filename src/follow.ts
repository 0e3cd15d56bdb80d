import { setTimeout as sleep } from 'node:timers/promises'
import { seconds } from './time.js'

const lookEvery = seconds(1)

/** Looks for changes once a second until it is told to stop. Of failures in a row only the first is told. */
export const follow = async (look: () => Promise<void>, signal: AbortSignal, onFailure: (error: unknown) => void) => {
  let isFailing = false
  while (!signal.aborted) {
    try {
      await look()
      isFailing = false
    } catch (error) {
      if (!isFailing && !signal.aborted) onFailure(error)
      isFailing = true
    }
    await sleep(lookEvery, undefined, { signal }).catch(() => undefined)
  }
}
