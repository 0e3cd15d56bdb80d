import type { Db } from 'mongodb'
import { requestBytes } from '../load/call.js'
import { type Bound, type Goal, judged } from '../measures/goals.js'
import { type Contestant, inRounds, type Result, ratio } from '../measures/rounds.js'
import type { Options } from '../options.js'
import { spread } from '../report/format.js'
import type { Ratio, Section } from '../report/section.js'
import type { Server } from '../servers/server.js'
import type { Peer, Scenario } from './scenarios.js'

export type Servers = Record<'service' | Peer, Server>

interface Setting {
  db: Db
  options: Options
  progress: (line: string) => void
}

const service = 'service'

/** The path of a peer that serves several variants. */
const pathOf = (name: string, path: string) => (name === 'Express + Mongoose' ? `/documents${path}` : path)

/** Measures one scenario on the service and its references. */
export const compare = async (scenario: Scenario, servers: Servers, { db, options, progress }: Setting): Promise<Section> => {
  const { title, peers, besides, connections = options.connections, reset } = scenario
  const contestant = (name: string, server: Server, { calls, holds }: Scenario): Contestant => ({
    name,
    server,
    holds,
    requests: calls(options).map(call => requestBytes({ ...call, path: pathOf(name, call.path) }))
  })
  const results = await inRounds(
    [
      contestant(service, servers.service, scenario),
      ...peers.map(peer => contestant(peer, servers[peer], scenario)),
      ...(besides ? [contestant(besides.title, servers.service, besides)] : [])
    ],
    {
      ...options,
      db,
      connections,
      reset: async () => reset?.(db, options),
      progress: line => progress(`${title}: ${line}`)
    }
  )
  return { title, table: tableOf(results), goals: goalsOf(scenario, results), figures: results, ratios: ratiosOf(scenario, results) }
}

export const tableOf = (results: Result[]) => [
  ['', 'requests/s', 'µs of the server', 'µs of mongod', 'operations'],
  ...results.map(({ name, perSecond, processor, mongod, operations }) => [
    name,
    spread(perSecond),
    spread(processor),
    spread(mongod),
    operations.median.toFixed(1)
  ])
]

const said = { perSecond: 'requests/s', processor: 'processor time', together: 'processor time with mongod' }

const goalsOf = ({ title, goals, operations }: Scenario, results: Result[]): Goal[] => {
  const judge = ({ of, to, ...bound }: Scenario['goals'][number]) =>
    judged({ goal: `${title}, ${said[of]} to ${to}`, unit: 'x', ...bound }, ratio(results, service, to, of))
  return [...goals.map(judge), ...(operations === undefined ? [] : [operationsGoal(title, results[0] as Result, operations)])]
}

const operationsGoal = (title: string, { operations }: Result, atMost: number) => {
  const bound: Bound = { goal: `${title}, on the database`, unit: 'operations', atMost }
  // Rounded, because the count includes the check for revisions once a second and mongod's own operations.
  return judged(bound, Math.round(operations.median))
}

/** Throughput and processor time of the service relative to each reference, with the strictest goal. */
const ratiosOf = ({ title, goals }: Scenario, results: Result[]): Ratio[] =>
  results.slice(1).flatMap(({ name }) =>
    (['perSecond', 'processor'] as const).map(of => {
      const bounds = goals.filter(goal => goal.to === name && goal.of === of)
      const goal = bounds.map(bound => ('atLeast' in bound ? bound.atLeast : bound.atMost)).at(-1)
      return { scenario: title, to: name, of, value: ratio(results, service, name, of), goal }
    })
  )
