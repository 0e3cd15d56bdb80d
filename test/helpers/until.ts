import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until the condition holds. Resolves with the milliseconds that this took. */
export const until = async (so: () => boolean | Promise<boolean>, { within = 20_000, every = 20 } = {}) => {
  const began = Date.now()
  while (!(await so())) {
    if (Date.now() - began > within) throw new Error(`Not so within ${within} ms: ${so}`)
    await sleep(every)
  }
  return Date.now() - began
}

/** Resolves once the clock of this process shows another millisecond. */
export const tick = async () => {
  const now = Date.now()
  while (Date.now() === now) await new Promise(setImmediate)
}
