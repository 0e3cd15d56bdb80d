import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { killAtExit } from '../kill-at-exit.js'

const timeout = 10 * 60_000
const shownLines = 40

interface Options {
  cwd: string
  env?: NodeJS.ProcessEnv
}

/** Runs a program quietly. Rejects with the end of its output if it fails. */
export const runProgram = async ([program = '', ...args]: string[], { cwd, env = process.env }: Options) => {
  const child = spawn(program, args, { cwd, env, timeout, stdio: ['ignore', 'pipe', 'pipe'] })
  killAtExit(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => {
      output += text
    })
  const [status, signal] = await once(child, 'close')
  if (status === 0) return
  const end = output.trim().split('\n').slice(-shownLines).join('\n')
  throw new Error(`${[program, ...args].join(' ')} ended with ${signal ?? `status ${status}`}:\n${end}`)
}
