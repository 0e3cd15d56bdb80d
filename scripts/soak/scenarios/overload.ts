import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { as, type Call } from '../../bench/load/call.js'
import { peakOf, tallyAt } from '../../bench/load/generator.js'
import { complainsOfNothing, stays } from '../findings.js'
import { ask } from '../load/ask.js'
import { isPromised, isSuccess, Outcomes } from '../load/outcomes.js'
import { milliseconds, promised } from '../promises.js'
import type { Scenario } from '../scenario.js'

const measuring = 5
const shareOfMinutes = 0.1
const lookEvery = 100
/** Beyond what the service bears. */
const excess = 2
/** 99 of 100 refusals come so soon, and as many of the answers to those who were let in, in milliseconds. */
const refusedWithin = 500
const servedWithin = 1000
/** Orchestrators ask again where they got no answer in a second. */
const vitalWithin = 1000
const vitalLongest = 3000

/** Twice as many requests as the service bears, arriving by the clock whatever becomes of those before them. */
export const overload: Scenario = async ({ options, say }, stage) => {
  const service = await stage.service()
  const { port } = service
  const load = { port, calls: callsOf(options.viewers) }

  say('overload: looking for the limit')
  await peakOf({ ...load, seconds: measuring }, options.viewers)
  const peak = await peakOf({ ...load, seconds: measuring }, options.viewers)
  say(`overload: ${Math.round(peak * excess)} requests a second where ${Math.round(peak)} are the limit`)

  const vital = new Outcomes()
  const agent = new Agent({ keepAlive: true })
  stage.onEnd(() => agent.destroy())
  const look = () => ['/health', '/ready'].map(path => vital.of(ask(agent, port, { path, user: 1 })))
  const looking = setInterval(look, lookEvery)
  const tally = await tallyAt({ ...load, seconds: options.minutes * 60 * shareOfMinutes }, peak * excess)
  clearInterval(looking)

  await sleep(lookEvery)
  const after = new Outcomes()
  for (let n = 1; n <= options.viewers; n++) await after.of(ask(agent, port, { path: '/history', user: n }))

  const { counts, successes, refusals } = tally
  const others = Object.keys(counts).filter(kind => !isPromised(kind))
  return [
    promised(
      'beyond the limit callers get successes and 503s with Retry-After, nothing else',
      others.length === 0 && refusals.count === (counts['503'] ?? 0),
      Object.entries(counts)
        .map(([kind, count]) => `${count} x ${kind}`)
        .join(', ')
    ),
    promised('a refusal comes at once', refusals.count > 0 ? refusals.p99 <= refusedWithin : undefined, latencies(refusals)),
    promised('who is let in is served fast', successes.p99 <= servedWithin, latencies(successes)),
    promised(
      '/health and /ready answer all the time',
      vital.besides(isSuccess) === 0 && vital.within(99) <= vitalWithin && vital.slowest <= vitalLongest,
      `${vital}, half of them within ${milliseconds(vital.within(50))}, 99 % within ${milliseconds(vital.within(99))}, all within ${milliseconds(vital.slowest)}`
    ),
    promised(
      'everyone is served when it is over',
      after.besides(isSuccess) === 0,
      `${after}, the slowest after ${milliseconds(after.slowest)}`
    ),
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
  `${count}, half of them within ${milliseconds(p50)}, 99 % within ${milliseconds(p99)}, all within ${milliseconds(longest)}`
