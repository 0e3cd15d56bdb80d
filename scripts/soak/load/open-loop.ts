import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../../bench/statistics.js'
import { type Counts, increment } from '../counts.js'
import { type Asked, ask } from './ask.js'

/** Opened in advance, like those of players that report every few seconds. More are opened when all are busy. */
const openConnections = 1000
/** Milliseconds for the service to settle after that. */
const calm = 1000
/** Milliseconds to wait for responses after the last request. */
const patience = 5000

/** Sends requests at a fixed rate, whether or not earlier ones were answered, like many independent callers. */
export const openLoop = async (port: number, calls: Asked[], { perSecond, seconds }: { perSecond: number; seconds: number }) => {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: Number.POSITIVE_INFINITY })
  await Promise.all(Array.from({ length: openConnections }, () => ask(agent, port, { path: '/health' })))
  await sleep(calm)

  const counts: Counts = {}
  const successes: number[] = []
  const refusals: number[] = []
  const began = performance.now()
  const now = () => performance.now() - began
  const send = async (call: Asked, due: number) => {
    const answer = await ask(agent, port, call).catch(() => undefined)
    increment(counts, answer?.status ?? 'no response')
    // Measured from when the request was due, so that the delay of the generator and the wait for a connection count.
    const took = now() - due
    if (answer && answer.status < 300) successes.push(took)
    if (answer?.status === 503 && /^\d+$/.test(answer.headers['retry-after'] ?? '')) refusals.push(took)
  }

  const sent: Promise<void>[] = []
  const total = Math.round(perSecond * seconds)
  while (sent.length < total) {
    while (sent.length < Math.min(total, (now() * perSecond) / 1000))
      sent.push(send(calls[sent.length % calls.length] as Asked, (sent.length * 1000) / perSecond))
    await sleep(1)
  }
  await Promise.race([Promise.all(sent), sleep(patience)])
  agent.destroy()
  await Promise.all(sent)
  return { counts, successes: latencies(successes), refusals: latencies(refusals) }
}

const latencies = (values: number[]) => {
  const at = (part: number) => (values.length > 0 ? quantile(values, part) : 0)
  return { count: values.length, p50: at(0.5), p99: at(0.99), longest: at(1) }
}
