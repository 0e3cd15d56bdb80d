import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Call, closedLoop } from '../../bench/load.js'
import { as } from '../../bench/servers/tokens.js'
import { inWords } from '../counts.js'
import { complainsOfNothing, stays } from '../findings.js'
import { ask } from '../load/ask.js'
import { openLoop } from '../load/open-loop.js'
import { isPromised, isSuccess, Outcomes } from '../load/outcomes.js'
import { milliseconds, promised } from '../promises.js'
import type { Scenario } from '../scenario.js'

const measuring = 5
const shareOfMinutes = 0.1
const lookEvery = 100
/** The load, relative to what the service can handle. */
const excess = 2
/** The p99 of refusals and of admitted requests, in milliseconds. */
const refusedWithin = 500
const servedWithin = 1000
/** The p99 and the maximum for /health and /ready, in milliseconds. Orchestrators time out after a second. */
const vitalWithin = 1000
const vitalLongest = 3000

/** Twice as many requests as the service can handle, arriving at a fixed rate regardless of earlier ones. */
export const overload: Scenario = async ({ options, say }, stage) => {
  const service = await stage.service()
  const { port } = service
  const calls = callsOf(options.viewers)
  const load = { connections: options.viewers, seconds: measuring }

  say('overload: finding the maximum')
  await closedLoop(port, calls, load)
  const { perSecond: peak } = await closedLoop(port, calls, load)
  say(`overload: ${Math.round(peak * excess)} requests/s, with a maximum of ${Math.round(peak)}`)

  const vital = new Outcomes()
  const agent = new Agent({ keepAlive: true })
  stage.onEnd(() => agent.destroy())
  const look = () => ['/health', '/ready'].map(path => vital.of(ask(agent, port, { path, user: 1 })))
  const looking = setInterval(look, lookEvery)
  const seconds = options.minutes * 60 * shareOfMinutes
  const tally = await openLoop(port, calls, { perSecond: peak * excess, seconds })
  clearInterval(looking)

  await sleep(lookEvery)
  const after = new Outcomes()
  for (let n = 1; n <= options.viewers; n++) await after.of(ask(agent, port, { path: '/history', user: n }))

  const { counts, successes, refusals } = tally
  const upheld = `${Math.round((successes.count / seconds / peak) * 100)} % of the maximum, ${latencies(successes)}`
  const others = Object.keys(counts).filter(kind => !isPromised(kind))
  return [
    promised(
      'under overload, callers get only successes and 503s with Retry-After',
      others.length === 0 && refusals.count === (counts['503'] ?? 0),
      inWords(counts)
    ),
    promised('refusals are fast', refusals.count > 0 ? refusals.p99 <= refusedWithin : undefined, latencies(refusals)),
    promised('admitted requests are served fast', successes.p99 <= servedWithin, upheld),
    promised(
      '/health and /ready always respond',
      vital.besides(isSuccess) === 0 && vital.within(99) <= vitalWithin && vital.slowest <= vitalLongest,
      `${vital}, p50 ${milliseconds(vital.within(50))}, p99 ${milliseconds(vital.within(99))}, slowest ${milliseconds(vital.slowest)}`
    ),
    promised('afterwards every request is served', after.besides(isSuccess) === 0, `${after}, slowest ${milliseconds(after.slowest)}`),
    stays(service),
    complainsOfNothing(service)
  ]
}

const callsOf = (viewers: number): Call[] =>
  Array.from({ length: viewers }, (_, n) => {
    const headers = as(n + 1)
    const body = { content_id: n + 1, time: 60, percentage: 10 }
    return [
      { path: '/history', headers },
      { method: 'POST' as const, path: '/history', headers, body },
      { path: '/contents', headers }
    ]
  }).flat()

const latencies = ({ count, p50, p99, longest }: { count: number; p50: number; p99: number; longest: number }) =>
  `${count}, p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}, slowest ${milliseconds(longest)}`
