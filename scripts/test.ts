import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compile } from '../test/compile.js'
import { inMemory } from './mongod/memory.js'
import { startMongod } from './mongod/start.js'
import { entriesOf, testFiles } from './tests/processes.js'

const here = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** The files that are named, else all. */
const given = process.argv.slice(2)
const files = given.some(existsSync) ? [] : await entriesOf(testFiles(here('test')), here('node_modules/.cache/viewer/tests'))

/** Runs the test suite on one mongod, in which each test file has a database of its own, and on what production runs where a test starts a process. */
const { env } = process
process.env = { ...env, ...(await inMemory()) }
console.log(`Node.js ${process.version}`)
const [mongod, built] = await Promise.all([startMongod({ say: console.log }), compile()])
process.env = env
// What a log shows last should be what failed: tap otherwise writes every assertion into it, or a screen per second.
const plain = process.stdout.isTTY ? {} : { CI: 'true', TAP_REPORTER: 'base' }
const tap = spawn('tap', [...given, ...files], {
  stdio: 'inherit',
  env: { ...plain, ...env, TEST_MONGO_URL: mongod.url, TEST_BUILT: built }
})
const [status] = await once(tap, 'exit')
await mongod.stop()
process.exit(status ?? 1)
