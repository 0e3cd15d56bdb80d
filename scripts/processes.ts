import type { ChildProcess, Serializable } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { scripts: { start: string } }

/** The Node.js flags of `npm start`. */
export const startFlags = scripts.start.split(' ').filter(word => word.startsWith('--'))

/** A port of this machine that is currently free. */
export const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Kills the child when this process exits before it. */
export const killAtExit = (child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL') => {
  const kill = () => child.kill(signal)
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
}

/** Exits at the first stop signal. Child processes that `killAtExit` knows, and mongod, end with this process. */
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
}

/** Asks again and again until the answer is truthy, and resolves with it. The error of a timeout says `what` was missing. */
export const until = async <Answer>(
  what: string,
  ask: () => Answer | Promise<Answer>,
  { within = 120_000, every = 50 }: Patience = {}
): Promise<Exclude<Answer, undefined | null | false>> => {
  const end = performance.now() + within
  for (;;) {
    const answer = await ask()
    if (answer) return answer as Exclude<Answer, undefined | null | false>
    if (performance.now() > end) throw new Error(`Timed out after ${within / 1000} s: ${what}`)
    await sleep(every)
  }
}
