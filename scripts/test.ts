import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compile } from '../test/helpers/compile.js'
import { testFolder } from './mongod/memory.js'
import { startMongod } from './mongod/start.js'
import { entriesOf, testFiles } from './tests/processes.js'

const here = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** The test files named on the command line, otherwise all. */
const given = process.argv.slice(2)
const files = given.some(existsSync) ? [] : await entriesOf(testFiles(here('test')), here('node_modules/.cache/viewer/tests'))

/** Runs the tests on one mongod, with a database for each test file. Tests that start the service start the compiled one. */
console.log(`Node.js ${process.version}`)
const [mongod, built] = await Promise.all([startMongod({ say: console.log, temporary: await testFolder() }), compile()])
// By default, tap would write every assertion into a log.
const plain = process.stdout.isTTY ? {} : { TAP_REPORTER: here('scripts/tests/failures.mjs') }
const tap = spawn('tap', [...given, ...files], {
  stdio: 'inherit',
  env: { ...plain, ...process.env, TEST_MONGO_URL: mongod.url, TEST_BUILT: built }
})
const [status] = await once(tap, 'exit')
await mongod.stop()
process.exit(status ?? 1)
