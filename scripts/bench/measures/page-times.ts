import type { Db } from 'mongodb'
import { type Call, requestBytes } from '../load/call.js'
import { callerAt, succeed } from '../load/caller.js'
import type { Server } from '../servers/server.js'
import { mongodStatus } from './mongod-status.js'
import { type Measure, measureOf, quantile } from './statistics.js'

/** A page to measure. `call` returns the n-th request for it. */
export interface TimedPage {
  server: Server
  call: (n: number) => Call
}

export interface PageCost {
  /** Milliseconds per request. */
  time: Measure
  /** Database operations per request. */
  operations: number
}

interface Options {
  db: Db
  /** Measured requests per page. */
  requests: number
  warmUp?: number
}

/** Operations are counted for one page at a time, in batches of requests. */
const batches = 5
const batch = 10

/** Measures sequential requests, alternating between the pages. */
export const pageCosts = async (pages: TimedPage[], { db, requests, warmUp = 20 }: Options): Promise<PageCost[]> => {
  const measured = await Promise.all(
    pages.map(async page => ({ ...page, caller: await callerAt(page.server.port), times: [] as number[] }))
  )
  for (let n = 0; n < warmUp + requests; n++) {
    for (const { caller, call, times } of measured) {
      const request = requestBytes(call(n))
      const began = performance.now()
      await succeed(caller, request)
      if (n >= warmUp) times.push(performance.now() - began)
    }
  }

  const costs: PageCost[] = []
  for (const { caller, call, times } of measured) {
    const operations: number[] = []
    for (let n = 0; n < batches; n++) {
      const before = await mongodStatus(db)
      for (let i = 0; i < batch; i++) await succeed(caller, requestBytes(call(warmUp + requests + n * batch + i)))
      const after = await mongodStatus(db)
      // Rounded, because the count includes the check for revisions once a second and mongod's own operations.
      operations.push(Math.round((after.operations - before.operations) / batch))
    }
    caller.end()
    costs.push({ time: measureOf(times), operations: quantile(operations, 0.5) })
  }
  return costs
}
