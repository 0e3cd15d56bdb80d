import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOptions } from './bench/options.js'
import { orFail } from './command-line.js'
import { runOn } from './nodes/on.js'

const root = join(import.meta.dirname, '..')

/** Runs the benchmark on the major version of Node.js in the image, whatever version started this command. */
await orFail(async () => {
  readOptions()
  const version = readFileSync(join(root, '.nvmrc'), 'utf8').trim()
  process.exitCode = await runOn(version, ['--import', 'tsx', join(root, 'scripts', 'bench', 'main.ts'), ...process.argv.slice(2)])
})
