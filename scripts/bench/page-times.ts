import { callerAt, requestBytes, timed } from './load.js'
import type { Server } from './server.js'
import { type Measure, measureOf } from './statistics.js'

/** A page of which the time is measured; `path` gives the n-th request for it. */
export interface TimedPage {
  name: string
  server: Server
  headers?: Record<string, string>
  path: (n: number) => string
}

/** Milliseconds of sequential requests, one of each page in turn. */
export const pageTimes = async (pages: TimedPage[], count: number, warmUp: number): Promise<Map<string, Measure>> => {
  const measured = await Promise.all(
    pages.map(async page => ({ ...page, caller: await callerAt(page.server.port), times: [] as number[] }))
  )
  for (let n = 0; n < warmUp + count; n++) {
    for (const { caller, headers = {}, path, times } of measured) {
      const time = await timed(caller, requestBytes({ path: path(n), headers }))
      if (n >= warmUp) times.push(time)
    }
  }
  for (const { caller } of measured) caller.end()
  return new Map(measured.map(({ name, times }) => [name, measureOf(times)]))
}
