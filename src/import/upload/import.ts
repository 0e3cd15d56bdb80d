import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ImportKind } from '../../../schemas/import.js'
import { seconds } from '../../time.js'
import { receive } from './receive.js'
import { type ImportOrder, importInChildProcess } from './start-child.js'

const idleTimeout = seconds(30)

interface UploadOptions extends Omit<ImportOrder, 'path'> {
  signal: AbortSignal
}

/** Imports the lines of a request. All of them are on disk before the first is checked, so a caller that hangs up leaves nothing behind. */
export const importUpload = async (upload: IncomingMessage, kind: ImportKind, { signal, ...order }: UploadOptions) => {
  const folder = await mkdtemp(join(tmpdir(), 'viewer-import-'))
  try {
    const path = join(folder, `${kind}.ndjson`)
    await receive(upload, path, { idleTimeout, signal })
    return await importInChildProcess({ ...order, path }, signal)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
