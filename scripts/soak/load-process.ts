import { setTimeout as sleep } from 'node:timers/promises'
import { attack, attacks, premade } from './attacks.js'
import { type Call, type Caller, callerAt, callersAt, type Flood, type Order, requestBytes, stopwatch } from './callers.js'
import { type Counts, increment } from './outcomes.js'

/** Opened in advance, like those of players that report every few seconds. If all are busy, requests wait for one, and the wait counts. */
const connections = 4000
/** Connections opened at the same time, fewer than the backlog of a server. */
const group = 100
/** Milliseconds for the server to settle after that. */
const calm = 1000
/** Milliseconds to wait for responses after the last request. */
const patience = 5000

const openLoop = async (port: number, calls: Call[], perSecond: number, seconds: number): Promise<Flood> => {
  const requests = calls.map(requestBytes)
  const idle: Caller[] = []
  while (idle.length < connections) idle.push(...(await callersAt(port, group)))
  await sleep(calm)

  const total = Math.round(perSecond * seconds)
  const counts: Counts = {}
  const [successes, refusals] = [stopwatch(), stopwatch()]
  const queue: ((caller: Caller) => void)[] = []
  let [sent, served, ended] = [0, 0, 0]
  const began = performance.now()
  const now = () => performance.now() - began

  const release = (caller: Caller) => {
    const next = queue[served]
    if (!next) return idle.push(caller)
    served++
    return next(caller)
  }
  const serve = async (due: number, request: Buffer, caller: Caller) => {
    try {
      const { status, head } = await caller.ask(request)
      if (status >= 200 && status < 300) successes.record(now() - due)
      if (status === 503 && /\r\nretry-after: \d/i.test(head)) refusals.record(now() - due)
      increment(counts, status)
      release(caller)
    } catch {
      increment(counts, 'broken')
      callerAt(port).then(release, () => undefined)
    }
    ended++
  }

  while (sent < total) {
    for (const due = Math.min(total, Math.floor((now() * perSecond) / 1000) + 1); sent < due; sent++) {
      const [at, request] = [(sent * 1000) / perSecond, requests[sent % requests.length] as Buffer]
      // The connection that was idle the longest, because one that never sends a request is closed after 10 s.
      const caller = idle.shift()
      if (caller) void serve(at, request, caller)
      else queue.push(free => void serve(at, request, free))
    }
    await sleep(1)
  }
  const until = now() + patience
  while (ended < total && now() < until) await sleep(10)
  if (ended < total) counts.unanswered = total - ended
  for (const { end } of idle) end()
  return { counts, successes: successes.latencies(), refusals: refusals.latencies() }
}

let attacking: Awaited<ReturnType<typeof attack>> | undefined

process.on('message', async (order: Order) => {
  if (order === 'stop') return process.send?.((await attacking?.stop()) ?? {})
  if ('flood' in order) return process.send?.(await openLoop(order.port, order.flood, order.perSecond, order.seconds))
  const make = attacks[order.attack]
  if (!make) throw new Error(`There is no attack ${order.attack}`)
  attacking = await attack(order.port, order.atOnce, premade(make))
  return process.send?.('started')
})
