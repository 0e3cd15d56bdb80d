import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

const known = (path: string) => stat(path).catch(() => undefined)

/**
 * Resolves with a function that writes the file, under a temporary name until it is complete. Rejects if the path cannot be written, before
 * any work is done. `events` is a file that the path must not refer to.
 */
export const outputAt = async (path: string, { events, mode = 0o666 }: { events?: string; mode?: number }) => {
  const found = await known(path)
  if (found?.isDirectory()) throw new Error(`${path} is a folder`)
  // Anything that is not a file, for example /dev/null, would be replaced by a file.
  if (found && !found.isFile()) throw new Error(`${path} is not a file`)
  const source = events === undefined ? undefined : await known(events)
  if (found && source && found.ino === source.ino && found.dev === source.dev) throw new Error(`${path} is the events file`)
  const target = found ? await realpath(path) : path
  const partial = join(dirname(target), `.${basename(target)}.${randomUUID()}`)
  await writeFile(partial, '').catch(({ message }: Error) => {
    throw new Error(`${path} cannot be written: ${message}`)
  })
  await rm(partial)
  return async (pieces: AsyncIterable<string>) => {
    try {
      await pipeline(pieces, createWriteStream(partial, { flags: 'wx', mode }))
      await rename(partial, target)
    } catch (error) {
      await rm(partial, { force: true })
      throw error
    }
  }
}

const readableByOwner = 0o600

/** Writes a file that only its owner may read, and that appears once it is complete. */
export const writePrivateFile = async (path: string, pieces: AsyncIterable<string>) =>
  (await outputAt(path, { mode: readableByOwner }))(pieces)
