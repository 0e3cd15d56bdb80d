import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { isServing, root, serving } from '../bench/servers/server.js'
import { secret } from '../bench/servers/tokens.js'
import { ask, freePort, killAtExit, startFlags } from '../processes.js'

const probe = pathToFileURL(join(import.meta.dirname, 'probe.mjs')).href
const errorLevel = 50

export interface ServiceOptions {
  url: string
  /** The folder of the compiled service. */
  built: string
  settings: Record<string, string>
}

interface Holdings {
  rss: number
  /** The kinds of everything that keeps the process alive: sockets, timers, requests. */
  resources: string[]
}

/** A process of the service as `npm start` runs it. It keeps its port when it is restarted. */
export class Service {
  /** The lines of its output that an operator would have to look into. */
  readonly complaints: string[] = []
  /** How often it exited without being stopped. */
  departures = 0
  private child: ChildProcess | undefined
  private isMeantToLeave = false

  private constructor(
    readonly port: number,
    private readonly options: ServiceOptions
  ) {}

  static async start(options: ServiceOptions) {
    const service = new Service(await freePort(), options)
    await service.run()
    return service
  }

  /** Starts the process. Resolves when it is ready, with the milliseconds this took. */
  async run() {
    const { url, built, settings } = this.options
    const began = performance.now()
    const child = spawn(process.execPath, ['--import', probe, ...startFlags, join(built, 'src', 'server.js')], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: {
        ...process.env,
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        PORT: String(this.port),
        MONGO_URL: url,
        JWT_SECRET: secret,
        // All callers have the same address.
        RATE_LIMIT: '0',
        RATE_LIMIT_ADDRESS: '0',
        LOGIN_LIMIT: '0',
        TRAIN: 'off',
        ...settings
      }
    })
    this.child = child
    this.isMeantToLeave = false
    killAtExit(child)
    child.once('exit', () => {
      if (!this.isMeantToLeave) this.departures++
    })
    this.listen(child.stdout as Readable, line => Number(/"level":(\d+)/.exec(line)?.[1] ?? errorLevel) >= errorLevel)
    this.listen(child.stderr as Readable, () => true)
    await serving(child, this.readiness).catch(({ message }: Error) => {
      throw new Error(`The service ${message}: ${this.complaints}`)
    })
    return performance.now() - began
  }

  isReady() {
    return isServing(this.readiness)
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

  holds(): Promise<Holdings> {
    return ask(this.child as ChildProcess, 'holds')
  }

  private get readiness() {
    return `http://127.0.0.1:${this.port}/ready`
  }

  private listen(stream: Readable, isComplaint: (line: string) => boolean) {
    createInterface({ input: stream }).on('line', line => {
      if (isComplaint(line)) this.complaints.push(line)
    })
  }
}

export interface Restart {
  /** The exit status. */
  status: number | null
  /** Milliseconds until the service was ready again. */
  took: number
}

/**
 * Restarts the services one after the other, round after round, until `isEnough`. `settleTime` is how many milliseconds the balancer has to
 * notice that a service is back.
 */
export const restartInTurn = async (services: Service[], settleTime: number, isEnough: (restarts: Restart[]) => boolean) => {
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
