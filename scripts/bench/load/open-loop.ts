import { setTimeout as sleep } from 'node:timers/promises'
import { type Arrival, dueAt, dueBy, tallyOf } from './arrivals.js'
import { type Caller, callerAt } from './caller.js'

interface OpenLoop {
  perSecond: number
  seconds: number
}

/** Beyond so many, requests wait for a connection, and the wait counts. */
const mostConnections = 4000
/** How long after the last arrival answers may still come, in milliseconds. */
const patience = 5000

/** Requests that arrive by the clock, whatever became of those before them, as those of many independent callers do. */
export const openLoop = async (port: number, requests: Buffer[], { perSecond, seconds }: OpenLoop) => {
  const total = Math.round(perSecond * seconds)
  const arrivals: Arrival[] = []
  const connected = new Set<Caller>()
  const idle: Caller[] = []
  const queue: (() => void)[] = []
  let queued = 0
  let connections = 0
  let ended = 0
  const began = performance.now()
  const now = () => performance.now() - began

  const serve = async (arrival: Arrival, request: Buffer, free: Caller | undefined) => {
    let caller = free
    try {
      if (!caller) {
        connections++
        caller = await callerAt(port)
        connected.add(caller)
      }
      const { status, head } = await caller.ask(request)
      arrival.answered = now()
      arrival.status = status
      arrival.retryAfter = /\r\nretry-after: \d/i.test(head)
      idle.push(caller)
    } catch {
      arrival.broken = true
      connections--
      if (caller) connected.delete(caller)
    }
    ended++
    queue[queued]?.()
  }
  const arrive = (arrival: Arrival, request: Buffer) => {
    const start = () => void serve(arrival, request, idle.pop())
    if (idle.length > 0 || connections < mostConnections) return start()
    queue.push(() => {
      queued++
      start()
    })
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
  for (const { end } of connected) end()
  return tallyOf(arrivals, seconds)
}
