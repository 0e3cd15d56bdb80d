import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { apart } from './apart.js'
import { secret } from './app.js'
import { built } from './run.js'

interface Options {
  settings: Record<string, string>
  /** Modules that the process loads before anything else. */
  imports?: string[]
  script?: string
}

/** Starts the real process and waits until it serves. `said` returns what it has written so far. */
export const serving = async (t: Test, { settings, imports = [], script = 'src/server.js' }: Options) => {
  const modules = imports.flatMap(module => ['--import', module])
  const defaults = { JWT_SECRET: secret, HOST: '127.0.0.1', PORT: '0', TRAIN: 'off', MAX_EVENT_LOOP_DELAY: '0', NODE_ENV: 'production' }
  const child = spawn(...apart(...modules, built(script)), {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, ...defaults, ...settings },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const exit = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exit
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => {
      said += text
    })
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await exit
  }
  while (!/listening at/.test(said) || !/the service is ready/.test(said)) {
    if (child.exitCode !== null) throw new Error(`It ended: ${said}`)
    await sleep(20)
  }
  return {
    address: String(/listening at (http[^"]+)/.exec(said)?.[1]),
    said: () => said,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL')
  }
}
