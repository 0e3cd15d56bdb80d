import { callerAt, succeed } from './caller.js'

interface ClosedLoop {
  connections: number
  seconds: number
}

/**
 * Finds the maximum throughput: every caller sends its next request as soon as it has a response. Returns the number of responses and the
 * seconds.
 */
export const closedLoop = async (port: number, requests: Buffer[], { connections, seconds }: ClosedLoop) => {
  // New connections, because servers close idle ones.
  const callers = await Promise.all(Array.from({ length: connections }, () => callerAt(port)))
  const began = performance.now()
  let next = 0
  let count = 0
  await Promise.all(
    callers.map(async caller => {
      while (performance.now() - began < seconds * 1000) {
        await succeed(caller, requests[next++ % requests.length] as Buffer)
        count++
      }
    })
  )
  const took = (performance.now() - began) / 1000
  for (const { end } of callers) end()
  return { count, seconds: took }
}
