import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { Agent } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../free-port.js'
import { killAtExit } from '../../kill-at-exit.js'
import { type Certificate, makeCertificate } from './certificate.js'

/** Where the proxy listens and where it sends requests, on this machine. */
export interface Place {
  folder: string
  http: number
  https: number
  /** The ports of the three servers. */
  servers: number[]
}

export interface Program {
  name: string
  /** The configuration, below deploy/. */
  file: string
  /** What the configuration contains for a real deployment, and what replaces it here. */
  replacements: (place: Place) => [string, string][]
  /** Writes further files, and returns the arguments that run the program in the foreground with its configuration. */
  prepare: (configuration: string, place: Place) => Promise<string[]>
  /** The file of its log. Without one, it logs to its output. */
  log?: string
  /** Whether its own errors have the form of the service's errors even if it cannot read the request. */
  answersUnreadable: boolean
  /** How many idle connections to the servers it keeps for good. */
  keptIdle: number
  /** Milliseconds after which it is sure to send requests to a server that is back. */
  settleTime: number
}

/** The only address from which the adapted configurations allow imports. */
export const insider = '127.0.0.2'

const deploy = join(import.meta.dirname, '..', '..', '..', 'deploy')

export const startProxy = async (program: Program, servers: number[]) => {
  const folder = await mkdtemp(join(tmpdir(), `viewer-${program.name}-`))
  // Started by root, nginx reads and writes as another user.
  await chmod(folder, 0o755)
  const place = { folder, http: await freePort(), https: await freePort(), servers }
  const certificate = await makeCertificate(folder)
  const args = await program.prepare(await adapted(program, place), place)

  const child = spawn(program.name, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const printed: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', data => printed.push(String(data)))
  // Killed instantly, nginx would leave its worker processes behind.
  killAtExit(child, 'SIGTERM')
  const exit = once(child, 'exit').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(`${program.name} is not installed: apt-get install ${program.name}`) : error
  })
  const failure = exit.then(([status]) => {
    throw new Error(`${program.name} ended with status ${status}: ${printed.join('')}`)
  })
  await Promise.race([listening(place.https), failure])
  failure.catch(() => undefined)
  return {
    ...place,
    certificate,
    log: async () => (program.log ? readFile(join(folder, program.log), 'utf8') : printed.join('')),
    stop: async () => {
      child.kill('SIGTERM')
      await exit
      await rm(folder, { recursive: true, force: true })
    }
  }
}
export type RunningProxy = Awaited<ReturnType<typeof startProxy>>

/** The configuration of deploy/ for this place. Every replacement must find what it replaces, or another file would be tested. */
const adapted = async ({ file, replacements }: Program, place: Place) => {
  const original = await readFile(join(deploy, file), 'utf8')
  return replacements(place).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`deploy/${file} does not contain ${from}`)
    return text.replaceAll(from, to)
  }, original)
}

const listening = async (port: number) => {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false
    )
    socket.destroy()
    if (isOpen) return
    await sleep(20)
  }
}

export const agentFor = ({ ca }: Certificate) =>
  new Agent({ ca, servername: 'localhost', keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
