import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder } from '../cache.js'

const run = promisify(execFile)

export const oldest = '6.0'

const executables: Partial<Record<NodeJS.Platform, string>> = { win32: 'mongod.exe' }
export const executable = executables[process.platform] ?? 'mongod'

/** Where a downloaded mongod is cached. A version that was requested by name has its own folder. */
export const cachedIn = () => join(cacheFolder('mongod'), process.env.MONGOMS_VERSION ?? '')

/** The version that the binary reports, which proves that it runs on this machine. Throws if it does not run or is too old. */
export const versionOf = async (binary: string) => {
  const { stdout } = await run(binary, ['--version'], { timeout: 30_000 }).catch(error => {
    throw new Error(`${binary} does not run (${messageOf(error)})`)
  })
  const version = /db version v(\d+\S*)/.exec(stdout)?.[1]
  if (!version) throw new Error(`${binary} is not a mongod`)
  if (Number.parseFloat(version) < Number.parseFloat(oldest)) throw new Error(`${binary} is mongod ${version}, older than ${oldest}`)
  return version
}

/** A failed command states the cause in its last line. The lines before it are a stack trace. */
export const messageOf = (error: unknown) => {
  const { stderr = '', message } = error as Error & { stderr?: string }
  return stderr.trim().split('\n').at(-1) || message
}
