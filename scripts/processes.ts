import { type ChildProcess, type Serializable, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { scripts: { start: string } }

export const startFlags = scripts.start.split(' ').filter(word => word.startsWith('--'))

export const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Kills the child if this process exits first. */
export const killAtExit = (child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL') => {
  const kill = () => child.kill(signal)
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
}

/** Exits at the first stop signal. Child processes passed to `killAtExit`, and mongod, end with this process. */
export const exitOnSignal = () => {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
}

/** Sends a message to the child and resolves with its reply. */
export const ask = async (child: ChildProcess, message: Serializable) => {
  const reply = once(child, 'message')
  child.send(message)
  const [answer] = await reply
  return answer
}

interface Patience {
  within?: number
  every?: number
  /** Gives up if this returns true. */
  unless?: () => boolean
}

/** Polls until the result is truthy, and resolves with it. The error of a timeout says `what` was missing. */
export const until = async <Answer>(
  what: string,
  ask: () => Answer | Promise<Answer>,
  { within = 120_000, every = 50, unless = () => false }: Patience = {}
): Promise<Exclude<Answer, undefined | null | false>> => {
  const end = performance.now() + within
  for (;;) {
    const answer = await ask()
    if (answer) return answer as Exclude<Answer, undefined | null | false>
    if (unless()) throw new Error(`Ended too early: ${what}`)
    if (performance.now() > end) throw new Error(`Timed out after ${within / 1000} s: ${what}`)
    await sleep(every)
  }
}

export type Say = (line: string) => void

/** The folder for downloads, outside of node_modules, so that an install does not delete it. */
export const cacheFolder = (name: string) => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'viewer', name)

const isThere = (program: string) => (process.env.PATH as string).split(delimiter).some(folder => existsSync(join(folder, program)))

/** The first of the programs that is not installed. */
export const missing = (programs: string[]) => programs.find(program => !isThere(program))

const timeout = 10 * 60_000
const shownLines = 40

interface Options {
  cwd?: string
  env?: NodeJS.ProcessEnv
}

/** Runs a program quietly. Rejects with the end of its output if it fails. */
export const runProgram = async ([program = '', ...args]: string[], { cwd, env = process.env }: Options = {}) => {
  const child = spawn(program, args, { ...(cwd && { cwd }), env, timeout, stdio: ['ignore', 'pipe', 'pipe'] })
  killAtExit(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => {
      output += text
    })
  const [status, signal] = await once(child, 'close').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(`${program} is not installed`) : error
  })
  if (status === 0) return
  const end = output.trim().split('\n').slice(-shownLines).join('\n')
  throw new Error(`${[program, ...args].join(' ')} ended with ${signal ?? `status ${status}`}:\n${end}`)
}

/** Starts a program of a Go module, for example `github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0`. Go builds it the first time. */
export const goProgram = (module: string, ...options: string[]) => ['go', 'run', ...options, module]

/** A file in the cache, which these commands create in its folder when it is first needed. */
export const installed = async (name: string, file: string, ...commands: string[][]) => {
  const folder = cacheFolder(name)
  const path = join(folder, file)
  if (!existsSync(path)) {
    await mkdir(folder, { recursive: true })
    for (const command of commands) await runProgram(command, { cwd: folder })
  }
  return path
}
