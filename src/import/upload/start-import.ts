import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { LineError } from '../../errors.js'
import type { ImportedKind } from '../index.js'

/** The message that starts an import. */
export interface ImportOrder {
  url: string
  /** The file to import. */
  path: string
  prune: boolean
  issuer: string | undefined
}

/** The message that ends an import. */
export interface ImportOutcome {
  imported?: ImportedKind
  /** The first faults, and the number of the rest. Nothing was written. */
  refused?: { errors: LineError[]; rest: number }
  /** The database was away. */
  isUnavailable?: boolean
  failed?: string
}

/** In megabytes. Enough for the ids of tens of millions of records. */
const memory = 512

/**
 * Imports in a process of its own: checking a batch of records takes milliseconds, and no viewer should wait for that.
 * When aborted, the import stops after the current batch and has no outcome.
 */
export const importInChildProcess = (order: ImportOrder, signal: AbortSignal) =>
  new Promise<ImportOutcome>((resolve, reject) => {
    if (signal.aborted) return resolve({})
    const file = new URL(`./import-child${import.meta.url.slice(-3)}`, import.meta.url)
    const child = fork(fileURLToPath(file), {
      execArgv: [...process.execArgv, `--max-old-space-size=${memory}`],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc']
    })
    const end = () => {
      if (child.connected) child.disconnect()
    }
    signal.addEventListener('abort', end)
    child.on('message', (outcome: ImportOutcome) => {
      resolve(outcome)
      end()
    })
    child.on('error', reject)
    child.on('exit', (code, by) => {
      signal.removeEventListener('abort', end)
      if (signal.aborted) resolve({})
      else reject(new Error(`The import ended with ${by ?? `status ${code}`}`))
    })
    child.send(order)
  })
