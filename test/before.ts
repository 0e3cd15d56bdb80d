import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { apart } from './helpers/apart.js'
import { runFolder } from './helpers/run.js'

// tap calls this before the first test file of a run: starts the mongod of the run, and compiles what production runs.
const root = fileURLToPath(new URL('..', import.meta.url))

const run = async (...args: string[]) => {
  const [status] = await once(spawn(...apart(...args), { cwd: root, stdio: 'inherit' }), 'exit')
  if (status !== 0) throw new Error(`${args[0]} ended with status ${status}`)
}

const startMongod = async () => {
  const program = fileURLToPath(new URL('./helpers/mongod.ts', import.meta.url))
  const child = spawn(...apart('--import', 'tsx', program, `${process.ppid}`, runFolder), {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc']
  })
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => ['it ended'])])
  if (message !== 'running') throw new Error(`There is no mongod for the tests: ${message}`)
  child.disconnect()
  child.unref()
}

const compile = async () => {
  const folder = join(runFolder, 'built')
  await run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--noCheck', '--outDir', folder)
  await run('scripts/copy-demo.mjs', folder)
}

await mkdir(runFolder, { recursive: true })
await Promise.all([startMongod(), compile()])
