import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { secret } from '../../bench/servers/tokens.js'
import { freePort } from '../../free-port.js'
import { startFlags } from '../../start-flags.js'

const root = join(import.meta.dirname, '..', '..', '..')
const probe = pathToFileURL(join(import.meta.dirname, 'probe.mjs')).href
const patience = 60_000
const errorLevel = 50

export interface ServiceOptions {
  url: string
  /** The folder of the compiled service. */
  built: string
  settings: Record<string, string>
}

interface Holdings {
  rss: number
  /** The kinds of all that keeps the process alive: sockets, timers, requests. */
  resources: string[]
}

/** A process of the service as `npm start` runs it, at a port of its own, which keeps the port when it is started again. */
export class Service {
  /** What it wrote that an operator would have to look after. */
  readonly complaints: string[] = []
  /** How often it left without being told to. */
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

  /** Starts the process; ends when it is ready, and gives the milliseconds that it took. */
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
        // All callers have one address.
        RATE_LIMIT: '0',
        RATE_LIMIT_ADDRESS: '0',
        LOGIN_LIMIT: '0',
        TRAIN: 'off',
        ...settings
      }
    })
    this.child = child
    this.isMeantToLeave = false
    const end = () => child.kill('SIGKILL')
    process.once('exit', end)
    child.once('exit', () => {
      process.off('exit', end)
      if (!this.isMeantToLeave) this.departures++
    })
    this.listen(child.stdout as Readable, line => Number(/"level":(\d+)/.exec(line)?.[1] ?? errorLevel) >= errorLevel)
    this.listen(child.stderr as Readable, () => true)
    while (!(await this.isReady())) {
      if (child.exitCode !== null) throw new Error(`The service ended at its start with status ${child.exitCode}: ${this.complaints}`)
      if (performance.now() - began > patience) throw new Error('The service was not ready in time')
      await sleep(10)
    }
    return performance.now() - began
  }

  isReady() {
    return fetch(`http://127.0.0.1:${this.port}/ready`).then(
      ({ ok }) => ok,
      () => false
    )
  }

  /** Sends the signal and waits for the end; gives the exit status. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const { child } = this
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    this.isMeantToLeave = true
    const exit = once(child, 'exit')
    child.kill(signal)
    const [status] = await exit
    return status
  }

  async holds(): Promise<Holdings> {
    const child = this.child as ChildProcess
    const answer = once(child, 'message')
    child.send('holds')
    const [holdings] = await answer
    return holdings
  }

  private listen(stream: Readable, isComplaint: (line: string) => boolean) {
    createInterface({ input: stream }).on('line', line => {
      if (isComplaint(line)) this.complaints.push(line)
    })
  }
}
