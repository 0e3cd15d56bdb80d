import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

export interface ShellOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  /** What the command reads from standard input. */
  input?: string
}

/** What a command line printed on both streams, and its exit status. */
export const attempt = async (line: string, { input = '', ...options }: ShellOptions = {}) => {
  const child = spawn('bash', ['-o', 'pipefail', '-c', `exec 2>&1\n${line}`], { stdio: 'pipe', ...options })
  child.stdin.on('error', () => {}).end(input)
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { output, status: status as number | null }
}

/** The output of a command line that must succeed. */
export const run = async (line: string, options?: ShellOptions) => {
  const { output, status } = await attempt(line, options)
  if (status !== 0) throw new Error(`${line} ended with ${status}:\n${output.split('\n').slice(-20).join('\n')}`)
  return output
}
