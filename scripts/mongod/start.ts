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
  /** Where the data stay; without it they are removed at the stop. */
  dataDir?: string
  /** Without it mongod takes a free one. */
  port?: number
  /** The replica set that this is a member of; whoever starts the members initiates it. */
  replSet?: string
  cacheGB?: number
}

export interface Mongod {
  url: string
  pid: number
  /** Ends mongod with a clean journal and waits for it. */
  stop: () => Promise<void>
}

type Child = ChildProcessByStdio<null, Readable, null>

const KILLED_AFTER = 30_000

/** A real mongod on 127.0.0.1 that lives no longer than this process. */
export const startMongod = async ({ say, dataDir, port = 0, replSet, cacheGB = 0.25 }: Options): Promise<Mongod> => {
  const binary = await findMongod(say)
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'viewer-mongod-')))
  await mkdir(folder, { recursive: true })

  const options = ['--bind_ip', '127.0.0.1', '--port', `${port}`, '--dbpath', folder, '--storageEngine', 'wiredTiger', '--quiet']
  options.push('--wiredTigerCacheSizeGB', `${cacheGB}`, '--setParameter', 'diagnosticDataCollectionEnabled=false')
  // A member that leaves a set would wait 15 s for its clients to notice.
  if (replSet) options.push('--replSet', replSet, '--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=1000')
  if (process.platform !== 'win32') options.push('--nounixsocket')

  // Detached: Ctrl-C in the terminal is for this process alone, which has writes to finish before mongod goes.
  const mongod = spawn(binary, options, { detached: true, windowsHide: true, stdio: ['ignore', 'pipe', 'ignore'] })
  const exit = once(mongod, 'exit')
  watch(mongod, dataDir ? '' : folder)

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
  say(`mongod runs at ${url} with its data in ${folder}`)
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

/** Reads mongod's log up to the line that it waits for connections. A log that ends before holds the cause. */
const listeningPort = async (mongod: Child, folder: string, port: number): Promise<number> => {
  let cause = 'it says nothing'
  for await (const line of createInterface({ input: mongod.stdout })) {
    const { s: severity, msg, attr } = parsed(line)
    if (msg === 'Waiting for connections') return attr.port
    if (severity !== 'I' && severity !== 'W') cause = attr?.error?.errmsg ?? attr?.error ?? msg
  }
  if (/DBPathInUse/.test(cause)) {
    const holder = (await readFile(join(folder, 'mongod.lock'), 'utf8')).trim()
    throw new Error(`Another mongod (process ${holder}) already runs on ${folder}: stop it first`)
  }
  if (/address already in use/i.test(cause)) throw new Error(`Port ${port} is taken: stop what listens there or choose another`)
  throw new Error(`mongod did not start on ${folder}: ${cause}`)
}

/** One entry of the log; what comes before the log begins is no JSON. */
const parsed = (line: string) => {
  try {
    return JSON.parse(line)
  } catch {
    return { msg: line }
  }
}

/** Its log is read on, so that it never waits for us, and neither the log nor the child keeps this process alive. */
const letRun = (mongod: Child) => {
  const log = mongod.stdout as Socket
  log.resume()
  log.unref()
  mongod.unref()
}

/** A process that ends mongod once this one is gone, in whichever way. */
const watch = (mongod: Child, temporary: string) => {
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
