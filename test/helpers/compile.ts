import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Inside the repository, so that what is compiled finds its packages. */
const cache = join(root, 'node_modules/.cache/viewer')

const run = async (...args: string[]) => {
  const [status] = await once(spawn(process.execPath, args, { cwd: root, stdio: 'inherit' }), 'exit')
  if (status !== 0) throw new Error(`${args[0]} ended with status ${status}`)
}

/**
 * Compiles what production runs, into a folder of its own, which it returns. `npm run check` checks the types. With one folder for all
 * runs, a second run would overwrite files while processes of the first load them.
 */
export const compile = async () => {
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'built-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--noCheck', '--outDir', folder)
  await run('scripts/copy-demo.mjs', folder)
  return folder
}
