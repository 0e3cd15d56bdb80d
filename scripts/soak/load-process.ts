import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { attacks } from './attacks.js'
import type { Order } from './load.js'
import { isSuccess, Outcomes } from './outcomes.js'
import { type Asked, ask } from './viewers.js'

/** Milliseconds to wait for responses after the last request. */
const patience = 5000
/** How many requests of an attack are created in advance, because creating them would delay it. */
const premade = 1000

const agent = new Agent({ keepAlive: true, maxSockets: 4000 })
let outcomes = new Outcomes()
let isStopped = false

/** Returns a function that creates requests of an attack or, without a name, of all attacks in turn. Every request is different. */
const requestsOf = (name: string | undefined) => {
  const makers = Object.values(attacks)
  let made = 0
  if (name === undefined) return () => (makers[made++ % makers.length] as () => Asked)()
  const calls = Array.from({ length: premade }, attacks[name] as () => Asked)
  return () => calls[made++ % premade] as Asked
}

/** Sends `atOnce` requests at a time, and the next ones as soon as all have responses. */
const attack = async (port: number, atOnce: number, next: () => Asked, total: number) => {
  while (!isStopped && outcomes.total < total)
    await Promise.all(Array.from({ length: atOnce }, () => outcomes.of(ask(agent, port, next()))))
}

/** Sends requests at a fixed rate, whether or not earlier ones have responses. */
const flood = async (port: number, calls: Asked[], perSecond: number, seconds: number) => {
  const total = Math.round(perSecond * seconds)
  const began = performance.now()
  for (let sent = 0; sent < total; await sleep(1)) {
    const due = Math.min(total, Math.ceil(((performance.now() - began) * perSecond) / 1000))
    for (; sent < due; sent++) void outcomes.of(ask(agent, port, calls[sent % calls.length] as Asked))
  }
  const end = performance.now() + patience
  while (outcomes.total < total && performance.now() < end) await sleep(10)
  return total - outcomes.total
}

process.on('message', async (order: Order) => {
  isStopped = order === 'stop'
  if (order === 'stop') return
  outcomes = new Outcomes()
  if ('calls' in order) {
    const unanswered = await flood(order.port, order.calls, order.perSecond, order.seconds)
    const counts = { ...outcomes.counts, ...(unanswered > 0 && { unanswered }) }
    process.send?.({ counts, successes: outcomes.latencies(isSuccess), refusals: outcomes.latencies(kind => kind === '503') })
  } else {
    await attack(order.port, order.atOnce, requestsOf(order.attack), order.total ?? Number.POSITIVE_INFINITY)
    process.send?.(outcomes.counts)
  }
})
