import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from 'mongodb'
import type { Server } from '../servers.js'
import { closedLoop } from './load.js'
import type { Options } from './options.js'
import { type Goal, type Measure, measureOf, type Section, spread } from './report.js'
import type { Extent, Peer, Scenario } from './scenarios.js'

export type Servers = Record<'service' | Peer, Server>
type Compare = (scenario: Scenario, servers: Servers, progress: (line: string) => void) => Promise<Section>

/** Per unit of the scenario, except for the memory. */
interface Round {
  perSecond: number
  /** Microseconds of processor time. */
  processor: number
  mongod: number
  together: number
  operations: number
  /** Megabytes of the server afterwards. */
  memory: number
}

/** Rounds that are not counted, to warm up the just-in-time compiler and caches. */
const warmUp = 3
/** Milliseconds between two checks of whether mongod is quiet, and its operations in that time without load. */
const pause = 100
const idle = 20

/** Measures the service and its references in turn in each round, so that other load on the machine affects all of them alike. */
export const comparison =
  (db: Db, options: Options & Extent): Compare =>
  async (scenario, servers, progress) => {
    const contestants = [
      { name: 'service', server: servers.service, ...scenario },
      ...scenario.peers.map(name => ({ ...scenario, name, server: servers[name] })),
      ...(scenario.besides ?? []).map(other => ({ ...other, name: other.title, server: servers.service }))
    ].map(({ calls, ...contestant }) => ({ ...contestant, calls: calls(options), rounds: [] as Round[] }))
    const load = { ...options, connections: scenario.connections ?? options.connections }

    for (let n = 1 - warmUp; n <= options.rounds; n++) {
      for (const { name, server, calls, holds = 1, rounds } of contestants) {
        progress(`${scenario.title}: round ${n} of ${options.rounds}, ${name}`)
        const round = await measured(db, server, holds, () => closedLoop(server.port, calls, load))
        if (n > 0) rounds.push(round)
      }
    }

    const results: Results = Object.fromEntries(contestants.map(({ name, rounds }) => [name, rounds]))
    return { title: scenario.title, table: tableOf(results), goals: goalsOf(scenario, results) }
  }

const measured = async (db: Db, server: Server, holds: number, load: () => ReturnType<typeof closedLoop>): Promise<Round> => {
  const [before, mongodBefore] = [await server.usage(), await mongodUsage(db)]
  const { perSecond, sent } = await load()
  await untilQuiet(db)
  const [after, mongodAfter] = [await server.usage(), await mongodUsage(db)]
  const units = sent * holds
  const processor = (after.user + after.system - before.user - before.system) / units
  const mongod = (mongodAfter.processor - mongodBefore.processor) / units
  const operations = (mongodAfter.operations - mongodBefore.operations) / units
  return { perSecond: perSecond * holds, processor, mongod, together: processor + mongod, operations, memory: after.rss / 1e6 }
}

/** autocannon hangs up on the last requests, which must not disturb the next contestant. */
const untilQuiet = async (db: Db) => {
  let before = Number.NEGATIVE_INFINITY
  for (;;) {
    const { operations } = await mongodUsage(db)
    if (operations - before <= idle) return
    before = operations
    await sleep(pause)
  }
}

/** The processor time of mongod in microseconds, and its operations, since its start. */
const mongodUsage = async (db: Db) => {
  const { extra_info, opcounters } = await db.admin().command({ serverStatus: 1 })
  const { insert, query, update, delete: remove, getmore, command } = opcounters
  return {
    processor: Number(extra_info.user_time_us ?? 0) + Number(extra_info.system_time_us ?? 0),
    operations: [insert, query, update, remove, getmore, command].reduce((sum, count) => sum + Number(count), 0)
  }
}

type Results = Record<string, Round[]>

const median = (rounds: Round[] | undefined, field: keyof Round): Measure => measureOf((rounds ?? []).map(round => round[field]))

/** Service to reference, round by round, because rounds next to each other ran under the same conditions. */
export const ratio = (results: Results, to: string, field: keyof Round): Measure =>
  measureOf((results.service ?? []).map((round, i) => round[field] / (results[to]?.[i]?.[field] ?? Number.NaN)))

const tableOf = (results: Results) => [
  ['', 'requests/s', 'µs of the server', 'µs of mongod', 'operations', 'MB', 'service to it: requests/s', 'processor time'],
  ...Object.entries(results).map(([name, rounds]) => [
    name,
    ...(['perSecond', 'processor', 'mongod'] as const).map(field => spread(median(rounds, field))),
    median(rounds, 'operations').median.toFixed(1),
    median(rounds, 'memory').median.toFixed(0),
    ...(name === 'service' ? [] : (['perSecond', 'processor'] as const).map(field => spread(ratio(results, name, field))))
  ])
]

const said = { perSecond: 'requests/s', processor: 'processor time', together: 'processor time with mongod' }

const goalsOf = ({ title, goals = [], operations, memory }: Scenario, results: Results): Goal[] => {
  // Rounded, because the count includes the check for revisions once a second and mongod's own operations.
  const counted = measureOf([Math.round(median(results.service, 'operations').median)])
  return [
    ...goals.map(({ of, to, ...bound }) => ({
      goal: `${title}, ${said[of]} to ${to}`,
      unit: 'x',
      ...bound,
      value: ratio(results, to, of)
    })),
    ...(operations === undefined ? [] : [{ goal: `${title}, on the database`, unit: 'operations', atMost: operations, value: counted }]),
    ...(memory === undefined
      ? []
      : [{ goal: `${title}, resident memory`, unit: 'MB', atMost: memory, value: median(results.service?.slice(-1), 'memory') }])
  ]
}
