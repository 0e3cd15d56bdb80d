import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { ask, freePort, killAtExit, startFlags, until } from './processes.js'
import { root } from './root.js'

const probe = pathToFileURL(join(import.meta.dirname, 'probe.mjs')).href
const errorLevel = 50

interface Options {
  args: string[]
  settings: Record<string, string>
  /** The path that returns 200 when the server is ready. */
  ready: string
  /** Whether to read its output for complaints, which takes time. */
  isWatched: boolean
}

interface Usage {
  rss: number
  /** Microseconds of processor time since the start. */
  user: number
  system: number
  /** The kinds of resources that keep the process alive: sockets, timers, requests. */
  resources: string[]
}

/** The arguments that run the compiled service in a folder as `npm start` does. */
export const serviceIn = (built: string) => [...startFlags, join(built, 'src', 'server.js')]

/** A server in a process of its own, which keeps its port when it is restarted. */
export class Server {
  /** The lines of its output that an operator would have to investigate. */
  readonly complaints: string[] = []
  /** How often it exited on its own. */
  departures = 0
  private child: ChildProcess | undefined
  private isMeantToLeave = false

  private constructor(
    readonly port: number,
    private readonly options: Options
  ) {}

  static async start(options: Options) {
    const server = new Server(await freePort(), options)
    await server.run()
    return server
  }

  /** Starts the process. Resolves when it is ready, with the milliseconds this took. */
  async run() {
    const { args, settings, isWatched } = this.options
    const began = performance.now()
    const child = spawn(process.execPath, ['--import', probe, ...args], {
      cwd: root,
      stdio: ['ignore', isWatched ? 'pipe' : 'ignore', 'pipe', 'ipc'],
      env: { ...process.env, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(this.port), ...settings }
    })
    this.child = child
    this.isMeantToLeave = false
    killAtExit(child)
    child.once('exit', () => {
      if (!this.isMeantToLeave) this.departures++
    })
    if (child.stdout) this.listen(child.stdout, line => Number(/"level":(\d+)/.exec(line)?.[1] ?? errorLevel) >= errorLevel)
    this.listen(child.stderr as Readable, () => true)
    await until(args.join(' '), () => this.isReady(), { within: 60_000, every: 10, unless: () => child.exitCode !== null }).catch(
      ({ message }: Error) => {
        // Its channel would keep this process alive.
        child.kill('SIGKILL')
        throw new Error(`${message}: ${this.complaints.join('\n')}`)
      }
    )
    return performance.now() - began
  }

  isReady() {
    return fetch(`http://127.0.0.1:${this.port}${this.options.ready}`).then(
      ({ ok }) => ok,
      () => false
    )
  }

  /** Sends a signal, waits for the exit and resolves with the status. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const { child } = this
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    this.isMeantToLeave = true
    const exit = once(child, 'exit')
    child.kill(signal)
    const [status] = await exit
    return status
  }

  usage(): Promise<Usage> {
    return ask(this.child as ChildProcess, 'usage')
  }

  private listen(stream: Readable, isComplaint: (line: string) => boolean) {
    createInterface({ input: stream }).on('line', line => {
      if (isComplaint(line)) this.complaints.push(line)
    })
  }
}

export interface Restart {
  status: number | null
  /** Milliseconds until the service was ready again. */
  took: number
}

/**
 * Restarts the services one after the other, round after round, until `isEnough`. `settleTime` is how many milliseconds the balancer has to
 * notice that a service is ready again.
 */
export const restartInTurn = async (services: Server[], settleTime: number, isEnough: (restarts: Restart[]) => boolean) => {
  const restarts: Restart[] = []
  do {
    for (const service of services) {
      await sleep(settleTime)
      const status = await service.end('SIGTERM')
      restarts.push({ status, took: await service.run() })
    }
  } while (!isEnough(restarts))
  return restarts
}
