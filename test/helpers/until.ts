import { until as untilThere } from '../../scripts/processes.js'

/** Waits until the condition holds. Resolves with the milliseconds that this took. */
export const until = async (holds: () => boolean | Promise<boolean>, { within = 60_000, every = 20 } = {}) => {
  const began = performance.now()
  await untilThere(String(holds), holds, { within, every })
  return performance.now() - began
}

/** Resolves once the clock of this process shows another millisecond. */
export const tick = async () => {
  const now = Date.now()
  while (Date.now() === now) await new Promise(setImmediate)
}

/** A gate that opens once. */
export const closedGate = () => {
  let open = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  return { opened, open }
}
