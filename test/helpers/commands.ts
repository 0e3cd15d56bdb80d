import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Test } from 'tap'
import { apart } from './apart.js'
import type { Ended, Run } from './commands-process.js'
import { built } from './run.js'

/** The environment of a command, without the settings of whoever runs the tests. */
const bare = { PATH: process.env.PATH, HOME: process.env.HOME }

interface Surroundings {
  cwd?: string
  settings?: Record<string, string>
}

/** Starts a command in a process of its own. `end` ends its standard input and waits for its end. */
export const startCommand = (t: Test, file: string, args: readonly string[], { cwd = '.', settings = {} }: Surroundings = {}) => {
  const child = spawn(...apart(file, ...args), { cwd, env: { ...bare, ...settings } })
  t.teardown(() => child.kill('SIGKILL'))
  const said = { out: '', err: '' }
  for (const [name, stream] of [['out', child.stdout] as const, ['err', child.stderr] as const])
    stream.setEncoding('utf8').on('data', text => {
      said[name] += text
    })
  const closed = once(child, 'close')
  const end = async (input = '') => {
    child.stdin.end(input)
    const [code, signal] = await closed
    return { ...said, status: code ?? signal }
  }
  return { child, end }
}

/**
 * Runs commands one after another in one process, because loading its code takes most of the time of a short command. Whatever depends on
 * the process itself, like signals, its end and what is missing in its environment, needs a process of its own.
 */
export const commandsIn = (t: Test, url = '') => {
  const child = spawn(...apart(built('test/helpers/commands-process.js')), {
    env: { ...bare, MONGO_URL: url },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc']
  })
  // A command may have asked to be told of a SIGTERM.
  t.teardown(() => child.kill('SIGKILL'))
  const exit = once(child, 'exit').then(() => {
    throw new Error('A command has ended the process')
  })
  exit.catch(() => undefined)

  const run = async (command: Run) => {
    child.send(command)
    const [ended] = await Promise.race([once(child, 'message'), exit])
    return ended as Ended
  }
  let last: Promise<unknown> = Promise.resolve()
  return (name: string, args: readonly string[], { input = '', cwd = '.', settings = {} }: Partial<Omit<Run, 'name' | 'args'>> = {}) => {
    const ended = last.then(() => run({ name, args, input, cwd, settings }))
    last = ended.catch(() => undefined)
    return ended
  }
}
