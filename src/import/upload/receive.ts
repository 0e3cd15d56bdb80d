import { createWriteStream } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream'
import { malformed, tooSlow, unavailable } from '../../errors.js'
import { slowUploads } from '../../http/parser-errors.js'

interface ReceiveOptions {
  /** Ends the upload when no byte has arrived for this many milliseconds. */
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
    // The caller now waits for the import without sending a byte.
    socket.setTimeout(0)
    slowUploads.delete(socket)
  }
}
