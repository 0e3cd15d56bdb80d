import type { Db } from 'mongodb'
import { type Goal, judged, once } from './goals.js'
import { requestBytes } from './load.js'
import { inRounds, type Result, ratio } from './rounds.js'
import { type Peer, type Scenario, type ScenarioName, scenarios } from './scenarios.js'
import type { Server } from './server.js'
import type { Sizes } from './sizes.js'

export type Servers = Record<'service' | Peer, Server>

/** The service and its references, side by side in one scenario. */
export const compare = async (name: ScenarioName, servers: Servers, db: Db, sizes: Sizes, progress: (line: string) => void) => {
  const { title, peers, calls }: Scenario = scenarios[name]
  const requests = (path: (path: string) => string) => calls(sizes.users).map(call => requestBytes({ ...call, path: path(call.path) }))
  const results = await inRounds(
    (['service', ...peers] as const).map(peer => ({
      name: peer,
      server: servers[peer],
      requests: requests(path => (peer === 'Express + Mongoose' ? `/documents${path}` : path))
    })),
    { db, ...sizes, progress: line => progress(`${title}: ${line}`) }
  )
  return { title, results, goals: goalsOf(name, title, results) }
}

const goalsOf = (name: ScenarioName, title: string, results: Result[]): Goal[] => {
  const service = results[0] as Result
  const perSecond = (peer: Peer) => ratio(results, 'service', peer, 'perSecond')
  const processor = ratio(results, 'service', 'bare Fastify', 'processor')
  const toBare = { goal: `${title}, requests/s to bare Fastify`, unit: 'x' } as const
  // Rounded, since the look for revisions once a second and mongod's own are counted too.
  const operations = (atMost: number) =>
    judged(
      { goal: `${title}, operations on the database`, issue: 7, unit: 'operations', atMost },
      once(Math.round(service.operations.median))
    )

  switch (name) {
    case 'terms':
    case 'legal':
    case 'rails':
    case 'contents':
      return [judged({ ...toBare, issue: 4, atLeast: 0.5 }, perSecond('bare Fastify')), operations(0)]
    case 'history': {
      const toExpress = { goal: `${title}, requests/s to Express + Mongoose lean`, unit: 'x' } as const
      return [
        judged({ ...toExpress, issue: 5, atLeast: 3 }, perSecond('Express + Mongoose lean')),
        judged({ ...toExpress, issue: 7, atLeast: 3.5 }, perSecond('Express + Mongoose lean')),
        judged({ ...toBare, issue: 5, atLeast: 0.6 }, perSecond('bare Fastify')),
        judged({ ...toBare, issue: 7, atLeast: 0.75 }, perSecond('bare Fastify')),
        operations(2)
      ]
    }
    case 'element':
    case 'put':
    case 'post':
      return [judged({ goal: `${title}, processor time to bare Fastify`, issue: 5, unit: 'x', atMost: 1.5 }, processor), operations(1)]
  }
}
