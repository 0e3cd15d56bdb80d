import { setTimeout as sleep } from 'node:timers/promises'
import { type Arrival, dueAt, dueBy, tallyOf } from './arrivals.js'
import { type Caller, callerAt } from './caller.js'

interface OpenLoop {
  perSecond: number
  seconds: number
}

/** Opened in advance, like those of players that report every few seconds. If all are busy, requests wait for one, and the wait counts. */
const connections = 4000
/** Connections opened at the same time, fewer than the backlog of a server. */
const group = 100
/** Milliseconds for the server to settle after that. */
const calm = 1000
/** Milliseconds to wait for responses after the last request. */
const patience = 5000

/** Sends requests at a fixed rate, whether or not earlier ones were answered, like many independent callers. */
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
    // The connection that was idle the longest, because one that never sends a request is closed after 10 s.
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
