import type { ChildProcess, Serializable } from 'node:child_process'
import { once } from 'node:events'

/** Sends a message to the child and resolves with its reply. */
export const ask = async (child: ChildProcess, message: Serializable) => {
  const reply = once(child, 'message')
  child.send(message)
  const [answer] = await reply
  return answer
}
