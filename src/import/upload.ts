import { createWriteStream } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream'
import type { ImportKind } from '../../schemas/import.js'
import { isUnavailable } from '../database/faults.js'
import { LeaseLost, type TakenLease } from '../database/leases.js'
import { importLost, importRefused, type LineError, malformed, tooSlow, unavailable } from '../errors.js'
import { slowUploads } from '../http/unparsed-requests.js'
import { forkModule } from '../process/fork-module.js'
import { seconds } from '../time.js'
import { ImportError, type RecordFault } from './checking.js'
import type { ImportedKind, ImportResult } from './index.js'

/** The message that starts an import. */
export interface ImportOrder {
  url: string
  path: string
  prune: boolean
  /** Whether to only count what an import would change. */
  check: boolean
  issuer: string | undefined
  completedAt: number
  /** The lease under which it runs. */
  lease?: { name: string; holder: string }
}

/** The outcome of an import in a process of its own. */
export type ImportOutcome =
  | { status: 'imported'; counts: ImportedKind; warnings: LineError[] }
  /** The first errors, and the number of the rest. Nothing was written. */
  | { status: 'refused'; errors: LineError[]; rest: number }
  | { status: 'interrupted' }
  | { status: 'lost' | 'unavailable' | 'stopped' | 'crashed' | 'failed'; cause: string }

/** Outcomes after which the database may still be writing a batch. */
const midBatch = ['unavailable', 'stopped', 'crashed']

const idleTimeout = seconds(30)
const folderPrefix = 'viewer-import-'

interface UploadOptions extends Omit<ImportOrder, 'path'> {
  signal: AbortSignal
  /** Whether it is too late to start an import. */
  isStopping: () => boolean
  /** Not given for a check, which has no lease. */
  leave?: TakenLease['leave']
}

/** Imports the lines of a request. All of them are on disk before the first is checked, so nothing is written if the caller hangs up. */
export const importUpload = async (upload: IncomingMessage, kind: ImportKind, { signal, isStopping, leave, ...order }: UploadOptions) => {
  const folder = await mkdtemp(join(tmpdir(), `${folderPrefix}${process.pid}-`))
  try {
    const path = join(folder, `${kind}.ndjson`)
    await receive(upload, path, { idleTimeout, signal })
    if (isStopping()) return { status: 'interrupted' } as const
    const outcome = await importInChildProcess({ ...order, path }, signal)
    if (midBatch.includes(outcome.status)) leave?.()
    return outcome
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The counts for the caller. If there are none, throws the error response. */
export const countsOrThrow = (outcome: ImportOutcome, warn: (cause: string) => void) => {
  switch (outcome.status) {
    case 'imported': {
      const { added, changed, unchanged, pruned = 0 } = outcome.counts
      return { added, changed, unchanged, removed: pruned, warnings: outcome.warnings }
    }
    case 'refused':
      throw importRefused(outcome.errors, outcome.rest)
    case 'crashed':
    case 'failed':
      throw new Error(outcome.cause)
    case 'lost':
      warn(outcome.cause)
      throw importLost()
    default:
      warn(outcome.status === 'interrupted' ? 'the service is stopping' : outcome.cause)
      throw unavailable()
  }
}

interface ReceiveOptions {
  /** Ends the upload after this many milliseconds without a byte. */
  idleTimeout: number
  signal: AbortSignal
}

/** Saves an upload of any length in a new file. */
export const receive = async (upload: IncomingMessage, path: string, { idleTimeout, signal }: ReceiveOptions) => {
  const { socket } = upload
  const file = createWriteStream(path, { flags: 'wx' })
  const ended = new AbortController()
  slowUploads.add(socket)
  try {
    await new Promise<void>((resolve, reject) => {
      if (signal.aborted) reject(unavailable())
      signal.addEventListener('abort', () => reject(unavailable()), { signal: ended.signal })
      upload.setTimeout(idleTimeout, () => reject(tooSlow()))
      finished(upload, { writable: false }, error => {
        if (error) reject(malformed())
      })
      file.once('error', reject).once('finish', resolve)
      upload.pipe(file)
    })
  } finally {
    ended.abort()
    upload.unpipe(file)
    file.destroy()
    // From now on, the caller waits for the import without sending a byte.
    socket.setTimeout(0)
    slowUploads.delete(socket)
  }
}

/** Enough, because the tables of ids are not on the heap. */
const heapLimitMb = 512
/** How long a stopped import may take to finish its current batch, in milliseconds. The next import writes it again. */
const batchGrace = 1000

/** Imports in a process of its own, because checking would delay viewers. When aborted, stops after the current batch. */
export const importInChildProcess = (order: ImportOrder, signal: AbortSignal) =>
  new Promise<ImportOutcome>((resolve, reject) => {
    if (signal.aborted) return resolve({ status: 'interrupted' })
    const child = forkModule('upload-child', { from: import.meta.url, heapLimitMb })
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
      if (signal.aborted) resolve({ status: 'stopped', cause: 'the service is stopping' })
      else resolve({ status: 'crashed', cause: `The import ended with ${by ?? `status ${code}`}` })
    })
    child.send(order)
  })

export const outcomeOf = ({ kinds, warnings, interrupted }: ImportResult): ImportOutcome => {
  const [counts] = Object.values(kinds)
  return interrupted
    ? { status: 'interrupted' }
    : { status: 'imported', counts: counts as ImportedKind, warnings: warnings.map(toLineError) }
}

const toLineError = ({ place, field, reason }: RecordFault): LineError => ({ line: place, field, message: reason })

/** The faults of the lines. There are none if the file itself cannot be read. */
const lineErrors = (error: ImportError) => {
  const errors = error.faults.first.flatMap(fault => (typeof fault === 'string' ? [] : [toLineError(fault)]))
  return errors.sort((a, b) => a.line - b.line)
}

export const outcomeOfError = (error: Error): ImportOutcome => {
  const errors = error instanceof ImportError ? lineErrors(error) : []
  if (errors.length > 0) return { status: 'refused', errors, rest: (error as ImportError).faults.rest }
  if (error instanceof LeaseLost) return { status: 'lost', cause: error.message }
  return { status: isUnavailable(error) ? 'unavailable' : 'failed', cause: String(error.stack) }
}

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/**
 * Removes the uploads of processes that were killed. Call it before the first upload, while folders with the id of this process are those
 * of an earlier one. In a container, every process gets the same id.
 */
export const removeLeftovers = async () => {
  const names = (await readdir(tmpdir())).filter(name => name.startsWith(folderPrefix))
  for (const name of names) {
    const pid = Number(name.slice(folderPrefix.length).split('-')[0])
    if (pid === process.pid || !isRunning(pid)) await rm(join(tmpdir(), name), { recursive: true, force: true })
  }
}
