import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, freePort, killAtExit, startFlags } from '../../processes.js'
import { secret, tokenOf } from './tokens.js'

export const root = join(import.meta.dirname, '..', '..', '..')
const peers = join(root, 'scripts', 'bench', 'peers')

/** A process whose costs are measured. */
export interface Server {
  port: number
  /** The bytes of its memory, and the microseconds of processor time since its start. */
  usage: () => Promise<{ user: number; system: number; rss: number }>
  stop: () => Promise<void>
}

/** Limits that nobody reaches, so that requests are counted but never refused. */
const beyondTheLoad = '1000000000'

/** The service as `npm start` runs it. */
export const startService = (MONGO_URL: string) =>
  startServer(
    [...startFlags, join('dist', 'src', 'server.js')],
    {
      MONGO_URL,
      JWT_SECRET: secret,
      LOG_LEVEL: 'info',
      RATE_LIMIT: beyondTheLoad,
      RATE_LIMIT_ADDRESS: beyondTheLoad,
      // All callers have the same address.
      LOGIN_LIMIT: '0',
      MAX_STREAMS: '2',
      // The model is already trained, and training would disturb the measurement.
      TRAIN: 'off',
      DRAIN_DELAY: '0'
    },
    // Searches are served last, when the process is done with the words of all contents.
    '/contents?search=ready'
  )

/** For `paths`, it sends bytes that it fetches from the service at `port`. */
export const startBare = (MONGO_URL: string, port: number, paths: string[]) =>
  startServer(
    ['--import', 'tsx', join(import.meta.dirname, 'bare.ts')],
    {
      MONGO_URL,
      READY_FROM: `http://127.0.0.1:${port}`,
      READY_PATHS: paths.join(' '),
      READY_AUTHORIZATION: `Bearer ${tokenOf(1)}`
    },
    '/'
  )

/** Its packages are installed when it is measured for the first time. */
export const startExpress = (MONGO_URL: string) => {
  if (!existsSync(join(peers, 'node_modules')))
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: peers,
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32'
    })
  return startServer([join(peers, 'express-mongoose.js')], { MONGO_URL }, '/')
}

/** Loaded into every measured process before its own code: reports its usage on request. */
const reporter = `process.on('message', question => {
  if (question === 'usage') process.send({ ...process.cpuUsage(), rss: process.memoryUsage.rss() })
})
process.channel.unref()`
const reporterUrl = `data:text/javascript,${encodeURIComponent(reporter)}`

/** Starts Node.js with these arguments. Resolves when the server at PORT responds to `path` with 200. */
const startServer = async (args: string[], env: NodeJS.ProcessEnv, path: string): Promise<Server> => {
  const port = await freePort()
  const child = spawn(process.execPath, ['--import', reporterUrl, ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(port), ...env }
  })
  killAtExit(child)
  const exit = once(child, 'exit')
  await serving(child, `http://127.0.0.1:${port}${path}`).catch(({ message }: Error) => {
    // Otherwise its channel would keep this process alive.
    child.kill('SIGKILL')
    throw new Error(`${args.join(' ')} ${message}`)
  })
  return {
    port,
    usage: () => ask(child, 'usage'),
    stop: async () => {
      child.kill('SIGKILL')
      await exit
    }
  }
}

export const isServing = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false
  )

const patience = 60_000

/** Resolves when a server responds successfully. Rejects if its process exits first. */
export const serving = async (child: ChildProcess, url: string) => {
  const end = performance.now() + patience
  while (!(await isServing(url))) {
    if (child.exitCode !== null) throw new Error(`exited at startup with status ${child.exitCode}`)
    if (performance.now() > end) throw new Error(`did not serve ${url} within ${patience / 1000} s`)
    await sleep(10)
  }
}
