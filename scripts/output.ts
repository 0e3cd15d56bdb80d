import { randomUUID } from 'node:crypto'
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

const known = (path: string) => stat(path).catch(() => undefined)

const bytesAtOnce = 256 * 1024

/** Writes a file under a temporary name and renames it when it is complete. */
export class Output {
  private file: FileHandle | undefined
  private pieces: string[] = []
  private size = 0

  private constructor(
    private readonly path: string,
    private readonly partial: string,
    private readonly mode: number | undefined
  ) {}

  /** Rejects a path that cannot be written before the work starts. `events` is a file that it must not be. */
  static async at(path: string, { events, mode }: { events?: string; mode?: number }) {
    const found = await known(path)
    if (found?.isDirectory()) throw new Error(`${path} is a folder`)
    // Anything that is not a file, /dev/null for example, would be replaced by a file.
    if (found && !found.isFile()) throw new Error(`${path} is not a file`)
    const source = events === undefined ? undefined : await known(events)
    if (found && source && found.ino === source.ino && found.dev === source.dev) throw new Error(`${path} is the file of the events`)
    const target = found ? await realpath(path) : path
    const output = new Output(target, join(dirname(target), `.${basename(target)}.${randomUUID()}`), mode)
    try {
      await output.begin()
    } catch (error) {
      throw new Error(`${path} cannot be written: ${(error as Error).message}`)
    }
    await output.remove()
    return output
  }

  async begin() {
    this.file = await open(this.partial, 'wx', this.mode)
  }

  async write(text: string) {
    this.pieces.push(text)
    this.size += text.length
    if (this.size >= bytesAtOnce) await this.flush()
  }

  async end() {
    await this.flush()
    await this.file?.close()
    await rename(this.partial, this.path)
  }

  async remove() {
    await this.file?.close()
    await rm(this.partial, { force: true })
  }

  private async flush() {
    await this.file?.writeFile(this.pieces.join(''))
    this.pieces = []
    this.size = 0
  }
}

const readableByOwner = 0o600

/** Writes a file that only its owner may read, and that appears when it is complete. */
export const writePrivateFile = async (path: string, pieces: AsyncIterable<string>) => {
  const output = await Output.at(path, { mode: readableByOwner })
  try {
    await output.begin()
    for await (const piece of pieces) await output.write(piece)
    await output.end()
  } catch (error) {
    await output.remove()
    throw error
  }
}
