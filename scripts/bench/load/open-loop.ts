import { setTimeout as sleep } from 'node:timers/promises'
import { type Arrival, dueAt, dueBy, tallyOf } from './arrivals.js'
import { type Caller, callerAt } from './caller.js'

interface OpenLoop {
  perSecond: number
  seconds: number
}

/** Open before the clock starts, as those of players who report every few seconds. Where all are busy, requests wait for one, and the wait counts. */
const connections = 4000
/** Opened at once: fewer than a server lets wait. */
const group = 100
/** For the server to be done with that, in milliseconds. */
const calm = 1000
/** How long after the last arrival answers may still come, in milliseconds. */
const patience = 5000

/** Requests that arrive by the clock, whatever became of those before them, as those of many independent callers do. */
export const openLoop = async (port: number, requests: Buffer[], { perSecond, seconds }: OpenLoop) => {
  const callers: Caller[] = []
  while (callers.length < connections) callers.push(...(await Promise.all(Array.from({ length: group }, () => callerAt(port)))))
  await sleep(calm)

  const total = Math.round(perSecond * seconds)
  const arrivals: Arrival[] = []
  const idle = [...callers]
  const queue: ((caller: Caller) => void)[] = []
  let served = 0
  let ended = 0
  const began = performance.now()
  const now = () => performance.now() - began

  const release = (caller: Caller) => {
    const next = queue[served]
    if (!next) return idle.push(caller)
    served++
    next(caller)
  }
  const reopen = async () => {
    const caller = await callerAt(port)
    callers.push(caller)
    release(caller)
  }
  const serve = async (arrival: Arrival, request: Buffer, caller: Caller) => {
    try {
      const { status, head } = await caller.ask(request)
      arrival.answered = now()
      arrival.status = status
      arrival.retryAfter = /\r\nretry-after: \d/i.test(head)
      release(caller)
    } catch {
      arrival.broken = true
      reopen().catch(() => undefined)
    }
    ended++
  }
  const arrive = (arrival: Arrival, request: Buffer) => {
    // The one that was idle the longest: a connection that never asks is closed after 10 s.
    const caller = idle.shift()
    if (caller) void serve(arrival, request, caller)
    else queue.push(free => void serve(arrival, request, free))
  }

  while (arrivals.length < total) {
    const due = Math.min(total, dueBy(now(), perSecond))
    while (arrivals.length < due) {
      const n = arrivals.length
      const arrival = { due: dueAt(n, perSecond), begun: now() }
      arrivals.push(arrival)
      arrive(arrival, requests[n % requests.length] as Buffer)
    }
    await sleep(1)
  }
  const until = now() + patience
  while (ended < total && now() < until) await sleep(10)
  for (const { end } of callers) end()
  return tallyOf(arrivals, seconds)
}
