import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Tally } from './arrivals.js'
import type { Call } from './call.js'

/** What the process of its own is told to do. */
export type Order = { port: number; calls: Call[]; seconds: number } & ({ connections: number } | { perSecond: number })

export interface Done {
  peak?: number
  tally?: Tally
  failed?: string
}

/** Load from a process of its own, which does nothing else while the clock runs. */
const perform = async (order: Order): Promise<Done> => {
  const child = fork(join(import.meta.dirname, 'generator-process.ts'), { execArgv: ['--import', 'tsx'] })
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  child.send(order)
  const [done] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => [{ failed: 'The generator of load ended' }])
  ])) as [Done]
  process.off('exit', end)
  if (done.failed) throw new Error(done.failed)
  return done
}

type Load = Omit<Extract<Order, { connections: number }>, 'connections'>

/** Requests a second that so many callers get answered at most. */
export const peakOf = async (load: Load, connections: number) => (await perform({ ...load, connections })).peak as number

/** What becomes of so many requests a second. */
export const tallyAt = async (load: Load, perSecond: number) => (await perform({ ...load, perSecond })).tally as Tally
