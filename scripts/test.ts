import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compile } from '../test/helpers/compile.js'
import { startMongod, testFolder } from './mongod/start.js'
import { entriesOf, testFiles } from './tests/processes.js'

const here = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** The test files named on the command line, otherwise all. */
const given = process.argv.slice(2)
const files = given.some(existsSync) ? [] : await entriesOf(testFiles(here('test')), here('node_modules/.cache/viewer/tests'))

/**
 * Runs the tests. From `npm test` to the first of them:
 *
 * 1. `entriesOf` writes an entry file for each process. Most processes share a list of test files, from which each takes the next one.
 * 2. A mongod starts, on which each test file gets a database. The service is compiled for the tests that start it.
 * 3. tap starts a process for each entry, four at once (`jobs` in package.json), with its own loader for TypeScript.
 * 4. The entry calls run-files.mjs. That loads light-tap.mjs, which removes parts of tap that the suite does not need, and only then tap.
 *    From then on, processes that tests fork get light-typescript.mjs in place of the loaders of tap.
 * 5. The process imports a test file, runs its tests, and takes the next one.
 *
 * Files named on the command line go through steps 2 and 3 alone. With `npx tap FILE`, there is only step 3, and a helper starts mongod.
 */
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
