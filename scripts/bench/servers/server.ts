import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { ask, freePort, killAtExit } from '../../processes.js'

export const root = join(import.meta.dirname, '..', '..', '..')
const usageModule = pathToFileURL(join(import.meta.dirname, 'usage.mjs')).href

export interface Usage {
  /** Microseconds of processor time since its start. */
  user: number
  system: number
  rss: number
}

/** A process whose costs are measured. */
export interface Server {
  port: number
  pid: number
  usage: () => Promise<Usage>
  stop: () => Promise<void>
}

const patience = 60_000

/** Starts Node.js with these arguments. Resolves when the server at PORT responds to `path` with 200. */
export const startServer = async (args: string[], env: NodeJS.ProcessEnv, path: string): Promise<Server> => {
  const port = await freePort()
  const child = spawn(process.execPath, ['--import', usageModule, ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(port), ...env }
  })
  killAtExit(child)
  const exit = once(child, 'exit')
  await serving(child, `http://127.0.0.1:${port}${path}`).catch(({ message }: Error) => {
    throw new Error(`${args.join(' ')} ${message}`)
  })
  return {
    port,
    pid: child.pid as number,
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

/** Resolves when a server responds successfully. Rejects if its process exits first. */
export const serving = async (child: ChildProcess, url: string) => {
  const end = performance.now() + patience
  while (!(await isServing(url))) {
    if (child.exitCode !== null) throw new Error(`exited at startup with status ${child.exitCode}`)
    if (performance.now() > end) throw new Error(`did not serve ${url} within ${patience / 1000} s`)
    await sleep(10)
  }
}
