import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Test } from 'tap'
import { apart } from './apart.js'
import type { Ended, Run } from './commands-process.js'
import { built } from './run.js'

/**
 * Runs commands one after another in one process, because loading its code takes most of the time of a short command. Whatever depends on
 * the process itself, like signals, its end and what is missing in its environment, needs a process of its own.
 */
export const commandsIn = (t: Test, url: string) => {
  const child = spawn(...apart(built('test/helpers/commands-process.js')), {
    // Without the settings of whoever runs the tests.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, MONGO_URL: url },
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
