import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { findMongod } from './find.js'

interface Options {
  say: (line: string) => void
  /** Where the data is stored. By default, in a temporary folder that is removed at the end. */
  dataDir?: string
  /** Where to create the temporary folder. */
  temporary?: string
  /** By default, mongod picks a free port. */
  port?: number
  /** The name of the replica set, which the caller initiates. */
  replSet?: string
  cacheGB?: number
  /** Whether callers need a password. */
  auth?: boolean
}

export interface Mongod {
  url: string
  pid: number
  /** Shuts mongod down cleanly and waits for its end. */
  stop: () => Promise<void>
}

type Child = ChildProcessByStdio<null, Readable, null>

const KILLED_AFTER = 30_000

/** Starts a mongod on 127.0.0.1 that ends with this process at the latest. */
export const startMongod = async ({
  say,
  dataDir,
  temporary = tmpdir(),
  port = 0,
  replSet,
  cacheGB = 0.25,
  auth = false
}: Options): Promise<Mongod> => {
  const binary = await findMongod(say)
  const folder = dataDir ?? (await mkdtemp(join(temporary, 'viewer-mongod-')))
  await mkdir(folder, { recursive: true })

  const options = ['--bind_ip', '127.0.0.1', '--port', `${port}`, '--dbpath', folder, '--storageEngine', 'wiredTiger', '--quiet']
  options.push('--wiredTigerCacheSizeGB', `${cacheGB}`, '--setParameter', 'diagnosticDataCollectionEnabled=false')
  // By default, a member waits 15 s for clients to disconnect before it shuts down.
  if (replSet) options.push('--replSet', replSet, '--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=1000')
  if (auth) options.push('--auth')
  if (process.platform !== 'win32') options.push('--nounixsocket')

  // Detached, so that Ctrl-C in the terminal only reaches this process, which may have writes to finish before mongod ends.
  const mongod = spawn(binary, options, { detached: true, windowsHide: true, stdio: ['ignore', 'pipe', 'ignore'] })
  const exit = once(mongod, 'exit')
  endWithThisProcess(mongod, dataDir ? '' : folder)

  const gone = async () => {
    await exit
    if (!dataDir) await rm(folder, { recursive: true, force: true })
  }
  const stop = async () => {
    mongod.ref()
    mongod.kill('SIGTERM')
    const last = setTimeout(() => mongod.kill('SIGKILL'), KILLED_AFTER)
    await gone()
    clearTimeout(last)
  }

  const listening = await listeningPort(mongod, folder, port).catch(async error => {
    await gone()
    throw error
  })
  letRun(mongod)
  const url = `mongodb://127.0.0.1:${listening}`
  say(`mongod is running at ${url}, data in ${folder}`)
  let stopped: Promise<void> | undefined
  return {
    url,
    pid: mongod.pid as number,
    stop: () => {
      stopped ??= stop()
      return stopped
    }
  }
}

/** Reads mongod's log until it accepts connections. If the log ends before that, it contains the cause. */
const listeningPort = async (mongod: Child, folder: string, port: number): Promise<number> => {
  let cause = 'no reason given'
  for await (const line of createInterface({ input: mongod.stdout })) {
    const { s: severity, msg, attr } = parsed(line)
    if (msg === 'Waiting for connections') return attr.port
    if (severity !== 'I' && severity !== 'W') cause = attr?.error?.errmsg ?? attr?.error ?? msg
  }
  if (/DBPathInUse/.test(cause)) {
    const holder = (await readFile(join(folder, 'mongod.lock'), 'utf8')).trim()
    throw new Error(`Another mongod (process ${holder}) already uses ${folder}: stop it first`)
  }
  if (/address already in use/i.test(cause))
    throw new Error(`Port ${port} is in use: stop the process that listens there, or choose another`)
  throw new Error(`mongod did not start on ${folder}: ${cause}`)
}

/** Parses a line of the log. Lines before the log starts are not JSON. */
const parsed = (line: string) => {
  try {
    return JSON.parse(line)
  } catch {
    return { msg: line }
  }
}

/** Keeps reading the log, so that mongod never blocks on it, and lets this process exit regardless of mongod. */
const letRun = (mongod: Child) => {
  const log = mongod.stdout as Socket
  log.resume()
  log.unref()
  mongod.unref()
}

/** Starts a process that ends mongod when this one has ended, even if it was killed. */
const endWithThisProcess = (mongod: Child, temporary: string) => {
  const file = join(import.meta.dirname, 'watchdog.mjs')
  const watchdog = spawn(process.execPath, [file, `${mongod.pid}`, temporary], {
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {}
  })
  const pipe = watchdog.stdin as Socket
  pipe.unref()
  watchdog.unref()
  mongod.once('exit', () => watchdog.kill())
}
