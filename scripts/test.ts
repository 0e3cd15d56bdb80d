import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statfs } from 'node:fs/promises'
import { startMongod } from './mongod/start.js'

/** Where Linux keeps files in memory: nearly every test waits for writes, and a busy disk takes seconds for some. */
const memory = '/dev/shm'
const needed = 2 * 1024 ** 3

const hasRoom = async (folder: string) => {
  const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize > needed
}

/** Runs the test suite on one mongod, in which each test file has a database of its own. */
const { env } = process
if (await hasRoom(memory)) process.env = { ...env, TMPDIR: memory }
const mongod = await startMongod({ say: console.log })
process.env = env
const tap = spawn('tap', process.argv.slice(2), { stdio: 'inherit', env: { ...env, TEST_MONGO_URL: mongod.url } })
const [status] = await once(tap, 'exit')
await mongod.stop()
process.exit(status ?? 1)
