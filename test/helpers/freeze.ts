import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { startMongod } from '../../scripts/mongod/start.js'
import { until } from './until.js'

const isStopped = (pid: number, thread: string) => {
  try {
    return /\) T /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'))
  } catch {
    // The process has ended in the meantime.
    return true
  }
}

/** Stops a process until it is sent SIGCONT. On a busy machine its threads run on for a while after the signal. */
export const freeze = async (pid: number) => {
  process.kill(pid, 'SIGSTOP')
  if (process.platform !== 'linux') return
  await until(() => readdirSync(`/proc/${pid}/task`).every(thread => isStopped(pid, thread)))
}

/** A mongod of its own, which may be frozen and runs on at the end of the test. */
export const freezableMongod = async (t: Test) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'viewer-frozen-'))
  t.teardown(() => rm(dataDir, { recursive: true, force: true }))
  const mongod = await startMongod({ say: () => undefined, dataDir })
  const pid = Number((await readFile(join(dataDir, 'mongod.lock'), 'utf8')).trim())
  t.teardown(async () => {
    process.kill(pid, 'SIGCONT')
    await mongod.stop()
  })
  return { url: mongod.url, pid }
}
