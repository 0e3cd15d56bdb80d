import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { say } from '../command-line.js'
import { attacks as calls } from './attacks.js'
import { fillAttacked } from './data.js'
import { complainsOfNothing, type Finding, milliseconds, promised, stays } from './findings.js'
import { startLoad } from './load.js'
import { inWords, isPromised, isSuccess, type Latencies, Outcomes } from './outcomes.js'
import type { Scenario } from './stage.js'
import { type Asked, after, ask, readSteadily } from './viewers.js'

/** Seconds for finding the maximum. */
const measuring = 5
const shareOfMinutes = 0.1
const lookEvery = 100
/** The load, as a multiple of what the service can handle. */
const excess = 2
/** The p99 of refusals and of admitted requests, in milliseconds. */
const refusedWithin = 500
const servedWithin = 1000
/** The p99 and the maximum for /health and /ready, in milliseconds. Orchestrators time out after a second. */
const vitalWithin = 1000
const vitalLongest = 3000

/** Twice as many requests as the service can handle, arriving at a fixed rate regardless of earlier ones. */
export const overload: Scenario = async stage => {
  const { options } = stage
  const service = await stage.service()
  const { port } = service
  const calls = Array.from({ length: options.viewers }, (_, n) => callsOf(n + 1)).flat()

  say('overload: finding the maximum')
  await peakOf(port, calls, options.viewers)
  const peak = await peakOf(port, calls, options.viewers)
  say(`overload: ${Math.round(peak * excess)} requests/s, with a maximum of ${Math.round(peak)}`)

  const vital = new Outcomes()
  const agent = new Agent({ keepAlive: true })
  stage.onEnd(() => agent.destroy())
  const load = startLoad(port)
  stage.onEnd(load.end)
  const look = () => ['/health', '/ready'].map(path => vital.of(ask(agent, port, { path, user: 1 })))
  const looking = setInterval(look, lookEvery)
  const { counts, successes, refusals } = await load.flood(calls, peak * excess, options.minutes * 60 * shareOfMinutes)
  clearInterval(looking)

  await sleep(lookEvery)
  const later = new Outcomes()
  for (let n = 1; n <= options.viewers; n++) await later.of(ask(agent, port, { path: '/history', user: n }))

  return [
    promised(
      'under overload, callers get only successes and 503s with Retry-After',
      Object.keys(counts).every(isPromised) && refusals.count === (counts['503'] ?? 0),
      inWords(counts)
    ),
    promised('refusals are fast', refusals.count > 0 ? refusals.p99 <= refusedWithin : undefined, latencies(refusals)),
    promised('admitted requests are served fast', successes.p99 <= servedWithin, latencies(successes)),
    promised(
      '/health and /ready always respond',
      vital.besides(isSuccess) === 0 && vital.latencies().p99 <= vitalWithin && vital.latencies().slowest <= vitalLongest,
      latencies(vital.latencies())
    ),
    promised(
      'afterwards every request is served',
      later.besides(isSuccess) === 0,
      `${later}, slowest ${milliseconds(later.latencies().slowest)}`
    ),
    stays(service),
    complainsOfNothing(service)
  ]
}

const callsOf = (user: number): Asked[] => {
  const body = { content_id: user, time: 60, percentage: 10 }
  return [
    { path: '/history', user },
    { method: 'POST', path: '/history', user, body },
    { path: '/contents', user }
  ]
}

const latencies = ({ count, p50, p99, slowest }: Latencies) =>
  `${count}, p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}, slowest ${milliseconds(slowest)}`

/** The maximum throughput in requests per second: every caller sends its next request as soon as it has a response. */
const peakOf = async (port: number, calls: Asked[], callers: number) => {
  const agent = new Agent({ keepAlive: true })
  const outcomes = new Outcomes()
  const isOver = after(measuring * 1000)
  let sent = 0
  const call = async () => {
    while (!isOver()) await outcomes.of(ask(agent, port, calls[sent++ % calls.length] as Asked))
  }
  await Promise.all(Array.from({ length: callers }, call))
  agent.destroy()
  if (outcomes.besides(isSuccess) > 0) throw new Error(`Requests failed: ${outcomes}`)
  return outcomes.total / measuring
}

/** How much slower a page of history may get during an attack. */
const slowerAtMost = 3
const attackersAtOnce = 40
/** Milliseconds within which /health and /ready must respond during an attack. */
const vitalUnderAttack = 100
const requestsForMemory = 10_000
const growsAtMost = 40e6
const settled = 60_000

/** Requests that are as expensive as possible, 40 at once, while another viewer reads the history and a balancer checks /ready. */
export const attacks: Scenario = async stage => {
  const { options, db } = stage
  await fillAttacked(db, options.brief ? 0.02 : 1)
  // Each login has a different address, so that the limit on failed logins does not save the service any work.
  const service = await stage.service({ TRUST_PROXY: '1', LOGIN_LIMIT: '10' })
  const { port } = service
  const time = options.brief ? 300 : 5000
  const read = (asked: Asked) => readSteadily(port, asked, after(time))
  const look = () => Promise.all([read({ path: '/history', user: 1 }), read({ path: '/health' }), read({ path: '/ready' })])

  await look()
  const quiet = (await look())[0].latencies()
  const findings: Finding[] = []
  const load = startLoad(port)
  stage.onEnd(load.end)
  for (const name of Object.keys(calls)) {
    say(`attacks: ${name}`)
    const attacked = load.attack(attackersAtOnce, name)
    const all = await look()
    load.stop()
    const statuses = await attacked
    const [history, ...vital] = all.map(outcomes => outcomes.latencies()) as [Latencies, ...Latencies[]]
    const slowest = Math.max(...vital.map(({ slowest }) => slowest))
    const isServed = all.every(outcomes => outcomes.besides(kind => kind === '200') === 0)
    findings.push(
      promised(
        `${name}: the p99 of a page of history is at most ${slowerAtMost} times that without an attack`,
        // If other tests run at the same time, the reference is not quiet.
        options.brief ? undefined : history.p99 <= slowerAtMost * quiet.p99 && isServed,
        `${milliseconds(history.p99)} instead of ${milliseconds(quiet.p99)}; the attackers got ${inWords(statuses)}`
      ),
      promised(
        `${name}: /health and /ready respond within ${vitalUnderAttack} ms`,
        options.brief ? undefined : slowest <= vitalUnderAttack && isServed,
        `slowest ${milliseconds(slowest)}`
      ),
      promised(`${name}: no 500`, !Object.keys(statuses).includes('500'), inWords(statuses))
    )
  }

  const before = (await service.usage()).rss
  const requests = options.brief ? 200 : requestsForMemory
  say(`attacks: ${requests} different queries of 15 KB`)
  await load.attack(attackersAtOnce, undefined, requests)
  if (!options.brief) await sleep(settled)
  const grown = (await service.usage()).rss - before
  return [
    ...findings,
    promised(
      `memory grows by at most ${growsAtMost / 1e6} MB after ${requests} different queries`,
      options.brief ? undefined : grown <= growsAtMost,
      `${Math.round(grown / 1e6)} MB on top of ${Math.round(before / 1e6)} MB`
    ),
    stays(service),
    complainsOfNothing(service)
  ]
}
