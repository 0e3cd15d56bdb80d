import { execFile } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const stalledAfter = 60_000

interface Options {
  /** The folder that the command downloads into. */
  folder: string
  say: (line: string) => void
  command: string
  args: string[]
  env: NodeJS.ProcessEnv
  /** Milliseconds from the first line that the command prints to the first byte of the download. */
  firstByteWithin?: number
}

/** Runs a command that downloads into a folder, reports its progress once a second, and kills it when no more data arrives. */
export const supervised = async ({ folder, say, command, args, env, firstByteWithin = stalledAfter }: Options) => {
  const running = run(command, args, { env: { ...process.env, ...env }, cwd: import.meta.dirname })
  let bytes = 0
  let grownAt = Date.now()
  let patience = stalledAfter
  let gaveUp = false
  running.child.stdout?.once('data', () => {
    grownAt = Date.now()
    patience = firstByteWithin
  })
  const clock = setInterval(async () => {
    const now = await bytesIn(folder)
    const quiet = Date.now() - grownAt
    if (now !== bytes) {
      bytes = now
      grownAt = Date.now()
      patience = stalledAfter
      say(`  ${(bytes / 1e6).toFixed(1)} MB so far`)
    } else if (quiet > patience) {
      gaveUp = running.child.kill('SIGKILL')
    } else {
      say(`  no data for ${Math.round(quiet / 1000)} s`)
    }
  }, 1000)
  return running
    .then(({ stdout }) => stdout)
    .catch(error => {
      throw gaveUp ? new Error(`no data for ${Math.round((Date.now() - grownAt) / 1000)} s`) : error
    })
    .finally(() => clearInterval(clock))
}

/** Files smaller than a page are lock files, not downloads. */
const bytesIn = async (folder: string) => {
  const sizes = (await readdir(folder, { recursive: true }).catch(() => [])).map(async name => {
    const file = await stat(join(folder, name)).catch(() => undefined)
    return file?.isFile() && file.size > 4096 ? file.size : 0
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
