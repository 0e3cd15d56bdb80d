import type { Db } from 'mongodb'
import { type Call, requestBytes } from '../load/call.js'
import { callerAt, succeed } from '../load/caller.js'
import type { Server } from '../servers/server.js'
import { mongodStatus } from './mongod-status.js'
import { type Measure, measureOf } from './statistics.js'

/** A page of which the time is measured; `call` gives the n-th request for it. */
export interface TimedPage {
  server: Server
  call: (n: number) => Call
}

export interface PageCost {
  /** Milliseconds of a request. */
  time: Measure
  /** Operations on the database for each request. */
  operations: number
}

interface Options {
  db: Db
  /** Measured requests for each page. */
  requests: number
  warmUp?: number
}

/** The operations are counted page by page, with so many requests each. */
const counted = 50

/** What sequential requests cost, one of each page in turn. */
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
    const before = await mongodStatus(db)
    for (let n = 0; n < counted; n++) await succeed(caller, requestBytes(call(warmUp + requests + n)))
    const after = await mongodStatus(db)
    caller.end()
    // Rounded, since the look for revisions once a second and mongod's own are counted too.
    costs.push({ time: measureOf(times), operations: Math.round((after.operations - before.operations) / counted) })
  }
  return costs
}
