import type { ChildProcess, Serializable } from 'node:child_process'
import { once } from 'node:events'

/** Kills the child when this process exits before it. */
export const killAtExit = (child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL') => {
  const kill = () => child.kill(signal)
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
}

/** Sends a message to the child and resolves with its reply. */
export const ask = async (child: ChildProcess, message: Serializable) => {
  const reply = once(child, 'message')
  child.send(message)
  const [answer] = await reply
  return answer
}
