import { callerAt, succeed } from './caller.js'

interface ClosedLoop {
  connections: number
  seconds: number
}

/** Callers who ask again as soon as they were answered: what a server can do at most. Gives the answers and the seconds that they took. */
export const closedLoop = async (port: number, requests: Buffer[], { connections, seconds }: ClosedLoop) => {
  // Opened anew, since a server closes connections that wait for long.
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
