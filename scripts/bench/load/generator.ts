import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { ask, killAtExit } from '../../processes.js'
import type { Tally } from './arrivals.js'
import type { Call } from './call.js'

/** What the generator process is asked to do. */
export type Order = { port: number; calls: Call[]; seconds: number } & ({ connections: number } | { perSecond: number })

export interface Done {
  peak?: number
  tally?: Tally
  failed?: string
}

/** Generates load in a separate process that does nothing else. */
const perform = async (order: Order): Promise<Done> => {
  const child = fork(join(import.meta.dirname, 'generator-process.ts'), { execArgv: ['--import', 'tsx'] })
  killAtExit(child)
  const exited = once(child, 'exit').then(() => ({ failed: 'The load generator exited' }))
  const done: Done = await Promise.race([ask(child, order), exited])
  if (done.failed) throw new Error(done.failed)
  return done
}

type Load = Omit<Extract<Order, { connections: number }>, 'connections'>

/** The maximum throughput with this many callers, in requests per second. */
export const peakOf = async (load: Load, connections: number) => (await perform({ ...load, connections })).peak as number

/** The outcomes of requests at a fixed rate. */
export const tallyAt = async (load: Load, perSecond: number) => (await perform({ ...load, perSecond })).tally as Tally
