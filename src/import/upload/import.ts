import { mkdtemp, readdir, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ImportKind } from '../../../schemas/import.js'
import { seconds } from '../../time.js'
import { receive } from './receive.js'
import { type ImportOrder, importInChildProcess } from './start-child.js'

const idleTimeout = seconds(30)
const folderPrefix = 'viewer-import-'

interface UploadOptions extends Omit<ImportOrder, 'path'> {
  signal: AbortSignal
  /** Whether it is too late to begin an import. */
  isStopping: () => boolean
}

/** Imports the lines of a request. All of them are on disk before the first is checked, so a caller that hangs up leaves nothing behind. */
export const importUpload = async (upload: IncomingMessage, kind: ImportKind, { signal, isStopping, ...order }: UploadOptions) => {
  const folder = await mkdtemp(join(tmpdir(), `${folderPrefix}${process.pid}-`))
  try {
    const path = join(folder, `${kind}.ndjson`)
    await receive(upload, path, { idleTimeout, signal })
    if (isStopping()) return { status: 'interrupted' } as const
    return await importInChildProcess({ ...order, path }, signal)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/**
 * Removes the uploads of processes that were killed. Call it before the first upload: until then, what bears the id of this process is from
 * an earlier one, because in a container each process gets the same id.
 */
export const removeLeftovers = async () => {
  const names = (await readdir(tmpdir())).filter(name => name.startsWith(folderPrefix))
  for (const name of names) {
    const pid = Number(name.slice(folderPrefix.length).split('-')[0])
    if (pid === process.pid || !isRunning(pid)) await rm(join(tmpdir(), name), { recursive: true, force: true })
  }
}
