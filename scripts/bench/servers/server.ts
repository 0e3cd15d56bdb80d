import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { freePort } from '../../free-port.js'

export const root = join(import.meta.dirname, '..', '..', '..')
const usageModule = pathToFileURL(join(import.meta.dirname, 'usage.mjs')).href

export interface Usage {
  /** Microseconds of processor time since its start. */
  user: number
  system: number
  rss: number
}

/** A process that is measured. */
export interface Server {
  port: number
  pid: number
  usage: () => Promise<Usage>
  stop: () => Promise<void>
}

const patience = 60_000

/** Node with these arguments, listening at the port in PORT, once `path` answers with 200. */
export const startServer = async (args: string[], env: NodeJS.ProcessEnv, path: string): Promise<Server> => {
  const port = await freePort()
  const child = spawn(process.execPath, ['--import', usageModule, ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(port), ...env }
  })
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  const exit = once(child, 'exit')
  await answering(child, `http://127.0.0.1:${port}${path}`, args.join(' '))
  return {
    port,
    pid: child.pid as number,
    usage: async () => {
      const answer = once(child, 'message')
      child.send('usage')
      const [usage] = await answer
      return usage
    },
    stop: async () => {
      end()
      await exit
      process.off('exit', end)
    }
  }
}

const answering = async (child: ChildProcess, url: string, name: string) => {
  const until = Date.now() + patience
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${name} ended at its start with status ${child.exitCode}`)
    const status = await fetch(url).then(
      ({ status }) => status,
      () => 0
    )
    if (status === 200) return
    if (Date.now() > until) throw new Error(`${name} did not answer at ${url} (${status})`)
    await sleep(50)
  }
}
