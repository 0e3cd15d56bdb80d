import type { Db } from 'mongodb'
import { type Scenario, scenarios } from '../comparisons/scenarios.js'
import type { Tally } from '../load/arrivals.js'
import { peakOf, tallyAt } from '../load/generator.js'
import { judged } from '../measures/goals.js'
import { secondsUntilQuiet } from '../measures/quiet.js'
import { type Measure, measureOf } from '../measures/statistics.js'
import type { Options } from '../options.js'
import { digits, spread } from '../report/format.js'
import type { Section } from '../report/section.js'
import type { Server } from '../servers/server.js'
import { limitsChart } from './limits-chart.js'
import { onProcessorOfItsOwn } from './processors.js'

export interface LimitRound {
  /** The maximum of requests per second. */
  peak: number
  half: Tally
  twice: Tally
  /** Megabytes of the service at the start, after half and after twice the maximum. */
  memory: [number, number, number]
  /** Seconds for which the database stayed busy after half and after twice the maximum, although no caller was waiting. */
  aftermath: [number, number]
}

/** Measures half of and twice the maximum load of the service. mongod and the load leave it one processor, so that the limit is its own. */
export const limits = async (service: Server, db: Db, options: Options, progress: (line: string) => void): Promise<Section> => {
  const { pid: mongod } = await db.admin().serverStatus()
  const rounds = await onProcessorOfItsOwn(service.pid, [process.pid, Number(mongod)], () => measured(service, db, options, progress))
  return sectionOf(`At and beyond the limit: ${scenarios.history.title}`, rounds)
}

const measured = async (service: Server, db: Db, options: Options, progress: (line: string) => void) => {
  const { limitRounds, limitSeconds, connections } = options
  const scenario: Scenario = scenarios.history
  const load = { port: service.port, calls: scenario.calls(options), seconds: limitSeconds }
  const memory = async () => (await service.usage()).rss / 1e6

  progress('limits: warming up')
  await peakOf(load, connections)
  const rounds: LimitRound[] = []
  for (let n = 0; n < limitRounds; n++) {
    const show = (what: string) => progress(`limits: round ${n + 1} of ${limitRounds}, ${what}`)
    show('the maximum')
    const before = await memory()
    const peak = await peakOf(load, connections)
    show(`half of it, ${digits(peak / 2)} requests/s`)
    const half = await tallyAt(load, peak / 2)
    const afterHalf = await secondsUntilQuiet(db)
    const between = await memory()
    show(`twice that, ${digits(peak * 2)} requests/s`)
    const twice = await tallyAt(load, peak * 2)
    const afterTwice = await secondsUntilQuiet(db)
    rounds.push({ peak, half, twice, memory: [before, between, await memory()], aftermath: [afterHalf, afterTwice] })
  }
  return rounds
}

/** The number of requests without a success. */
const faultsOf = ({ counts }: Tally) =>
  Object.entries(counts)
    .filter(([outcome]) => !outcome.startsWith('2'))
    .reduce((sum, [, count]) => sum + count, 0)

const sectionOf = (title: string, rounds: LimitRound[]): Section => {
  const over = (value: (round: LimitRound) => number): Measure => measureOf(rounds.map(value))
  const row = (name: string, of: (tally: Tally) => number) => [
    name,
    spread(over(({ half }) => of(half))),
    spread(over(({ twice }) => of(twice)))
  ]
  const outcomes = [...new Set(rounds.flatMap(({ half, twice }) => [...Object.keys(half.counts), ...Object.keys(twice.counts)]))].sort()
  const upheld = over(({ peak, twice }) => twice.succeeded / peak)
  const peak = over(({ peak }) => peak)
  const aftermath = (at: 0 | 1) => spread(over(({ aftermath }) => aftermath[at]))
  const memory = (at: 0 | 1 | 2) => spread(over(({ memory }) => memory[at]))
  return {
    title,
    remark:
      'Requests arrive at a fixed rate, whether or not earlier ones were answered, and latency is measured from the moment a request was due. ' +
      'The load comes from a separate process, over connections that were opened in advance. Where there are two processors, the service has ' +
      'one to itself, and mongod and the load share the rest.',
    table: [
      ['', 'half of the maximum', 'twice the maximum'],
      row('offered/s', ({ offered }) => offered),
      row('successes/s', ({ succeeded }) => succeeded),
      ...outcomes.map(outcome => row(`responses: ${outcome}`, ({ counts }) => counts[outcome] ?? 0)),
      row('successes, p50 ms', ({ successes }) => successes.p50),
      row('successes, p99 ms', ({ successes }) => successes.p99),
      row('503 with Retry-After', ({ refusals }) => refusals.count),
      row('503, p50 ms', ({ refusals }) => refusals.p50),
      row('503, p99 ms', ({ refusals }) => refusals.p99),
      row('503, slowest ms', ({ refusals }) => refusals.longest),
      row('delay of the generator, p99 ms', ({ lateness }) => lateness.p99),
      ['busy afterwards, s', aftermath(0), aftermath(1)],
      ['memory after, MB', memory(1), memory(2)],
      ['the maximum, requests/s', spread(peak)],
      ['memory before, MB', memory(0)]
    ],
    goals: [
      judged(
        { goal: 'half of the maximum, p99', unit: 'ms', atMost: 25 },
        over(({ half }) => half.successes.p99)
      ),
      judged(
        { goal: 'half of the maximum, anything but successes', unit: 'responses', atMost: 0 },
        over(({ half }) => faultsOf(half))
      ),
      judged({ goal: 'twice the maximum, successes to the maximum', unit: 'x', atLeast: 0.8 }, upheld),
      judged(
        { goal: 'twice the maximum, neither a success nor a 503 with Retry-After within 100 ms', unit: 'responses', atMost: 0 },
        over(({ twice }) => twice.unfit)
      )
    ],
    figures: rounds,
    picture: { file: 'limits', alt: title, svg: limitsChart(rounds) }
  }
}
