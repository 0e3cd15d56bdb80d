import type { ChildProcess } from 'node:child_process'

/** Kills the child when this process exits before it. */
export const killAtExit = (child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL') => {
  const kill = () => child.kill(signal)
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
}
