import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Collects all garbage, including what WeakRefs have kept in this turn of the event loop. */
export const collectGarbage = async () => {
  for (let i = 0; i < 2; i++) {
    await new Promise(setImmediate)
    collect()
  }
}

/** The bytes that are in use once all garbage is gone. */
export const bytesInUse = async () => {
  await collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
