import type { Db } from 'mongodb'
import { closedLoop } from '../load/closed-loop.js'
import type { Server } from '../servers/server.js'
import { mongodStatus } from './mongod-status.js'
import { type Measure, measureOf } from './statistics.js'

/** A server, and the requests that are sent to it repeatedly. */
export interface Contestant {
  name: string
  server: Server
  requests: Buffer[]
  /** How many units a request counts as, by default one. The figures are per unit. */
  holds?: number | undefined
}

interface Round {
  perSecond: number
  /** Microseconds of processor time per unit. */
  processor: number
  mongod: number
  together: number
  /** Database operations per unit. */
  operations: number
}

export interface Result {
  name: string
  perSecond: Measure
  processor: Measure
  mongod: Measure
  together: Measure
  operations: Measure
  rounds: Round[]
}

interface Options {
  db: Db
  rounds: number
  seconds: number
  connections: number
  /** Restores the data before each round of each contestant. */
  reset: () => Promise<unknown>
  progress: (line: string) => void
}

/** Rounds that are not counted, for the just-in-time compiler and caches. */
const warmUp = 3

/** Interleaves the contestants, so that other load on the machine affects all of them. */
export const inRounds = async (contestants: Contestant[], options: Options): Promise<Result[]> => {
  const { rounds, reset, progress } = options
  const entered = contestants.map(contestant => ({ ...contestant, rounds: [] as Round[] }))

  for (let n = -warmUp; n < rounds; n++) {
    for (const { name, server, requests, holds = 1, rounds: kept } of entered) {
      progress(n < 0 ? `warming up ${name}` : `round ${n + 1} of ${rounds}, ${name}`)
      await reset()
      const round = await measured(server, options, async () => {
        const { count, seconds } = await closedLoop(server.port, requests, options)
        return { count: count * holds, seconds }
      })
      if (n >= 0) kept.push(round)
    }
    entered.push(...entered.splice(0, 1))
  }

  return contestants.map(({ name }) => {
    const { rounds } = entered.find(one => one.name === name) as { rounds: Round[] }
    const measure = (field: keyof Round) => measureOf(rounds.map(round => round[field]))
    return {
      name,
      perSecond: measure('perSecond'),
      processor: measure('processor'),
      mongod: measure('mongod'),
      together: measure('together'),
      operations: measure('operations'),
      rounds
    }
  })
}

const measured = async (server: Server, { db }: Options, run: () => Promise<{ count: number; seconds: number }>): Promise<Round> => {
  const [before, mongodBefore] = [await server.usage(), await mongodStatus(db)]
  const { count, seconds } = await run()
  const [after, mongodAfter] = [await server.usage(), await mongodStatus(db)]
  const processor = (after.user + after.system - before.user - before.system) / count
  const mongod = (mongodAfter.processor - mongodBefore.processor) / count
  return {
    perSecond: count / seconds,
    processor,
    mongod,
    together: processor + mongod,
    operations: (mongodAfter.operations - mongodBefore.operations) / count
  }
}

export type Compared = 'perSecond' | 'processor' | 'together'

/** The ratio of one contestant to another, round by round, because rounds next to each other ran under the same conditions. */
export const ratio = (results: Result[], one: string, other: string, field: Compared): Measure => {
  const of = (name: string) => results.find(result => result.name === name)?.rounds ?? []
  const others = of(other)
  return measureOf(of(one).map((round, i) => round[field] / (others[i]?.[field] ?? Number.NaN)))
}
