import { readdirSync, readFileSync } from 'node:fs'
import { until } from './until.js'

const isStopped = (pid: number, thread: string) => {
  try {
    return /\) T /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'))
  } catch {
    // It has ended meanwhile.
    return true
  }
}

/** Stops a process until it is sent SIGCONT. On a busy machine its threads run on for a while after the signal. */
export const freeze = async (pid: number) => {
  process.kill(pid, 'SIGSTOP')
  if (process.platform !== 'linux') return
  await until(() => readdirSync(`/proc/${pid}/task`).every(thread => isStopped(pid, thread)))
}
