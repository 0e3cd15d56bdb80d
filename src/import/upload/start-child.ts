import { forkModule } from '../../process/fork-module.js'
import type { ImportOutcome } from './outcome.js'

/** The message that starts an import. */
export interface ImportOrder {
  url: string
  /** The file to import. */
  path: string
  prune: boolean
  issuer: string | undefined
  completedAt: number
  /** The holder of the lease under which it runs. */
  holder?: string
}

/** Enough, because the tables of ids are not part of the heap. */
const heapLimitMb = 512
/** How long an import that is stopped may take for its current batch, in milliseconds. The next import writes it again. */
const batchGrace = 1000

/**
 * Imports in a process of its own: checking a batch of records takes milliseconds, and no viewer should wait for that.
 * When aborted, the import stops after the current batch.
 */
export const importInChildProcess = (order: ImportOrder, signal: AbortSignal) =>
  new Promise<ImportOutcome>((resolve, reject) => {
    if (signal.aborted) return resolve({ status: 'interrupted' })
    const child = forkModule('child', { from: import.meta.url, heapLimitMb })
    const end = () => {
      if (child.connected) child.disconnect()
    }
    const stop = () => {
      end()
      setTimeout(child.kill.bind(child, 'SIGKILL'), batchGrace).unref()
    }
    signal.addEventListener('abort', stop)
    child.on('message', (outcome: ImportOutcome) => {
      resolve(outcome)
      end()
    })
    child.on('error', reject)
    child.on('exit', (code, by) => {
      signal.removeEventListener('abort', stop)
      if (signal.aborted) resolve({ status: 'interrupted' })
      else reject(new Error(`The import ended with ${by ?? `status ${code}`}`))
    })
    child.send(order)
  })
