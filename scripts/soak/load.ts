import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { ask, killAtExit } from '../processes.js'
import type { Counts, Latencies } from './outcomes.js'
import type { Asked } from './viewers.js'

export type Order =
  | { port: number; attack: string | undefined; atOnce: number; total: number | undefined }
  | { port: number; calls: Asked[]; perSecond: number; seconds: number }
  | 'stop'

interface Flood {
  counts: Counts
  successes: Latencies
  refusals: Latencies
}

/** Generates load from a separate process, so that the load itself does not delay measurements in this process. */
export const startLoad = (port: number) => {
  const child = fork(fileURLToPath(new URL(`load-process${import.meta.url.slice(-3)}`, import.meta.url)))
  killAtExit(child)
  const exited = once(child, 'exit').then(() => Promise.reject(new Error('The process that generates the load exited')))
  exited.catch(() => undefined)
  const order = (order: Order) => Promise.race([ask(child, order), exited])
  return {
    /**
     * Runs an attack or, without a name, all attacks in turn, until `stop` or until `total` requests were sent. Resolves with the outcomes.
     */
    attack: (atOnce: number, attack?: string, total?: number): Promise<Counts> => order({ port, attack, atOnce, total }),
    stop: () => child.send('stop'),
    /** Sends requests at a fixed rate, whether or not earlier ones have responses, like many independent callers. */
    flood: (calls: Asked[], perSecond: number, seconds: number): Promise<Flood> => order({ port, calls, perSecond, seconds }),
    end: () => child.kill()
  }
}
