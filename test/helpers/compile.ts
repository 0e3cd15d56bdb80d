import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = 'node_modules/.cache/viewer/built'

const run = async (...args: string[]) => {
  const [status] = await once(spawn(process.execPath, args, { cwd: root, stdio: 'inherit' }), 'exit')
  if (status !== 0) throw new Error(`${args[0]} ended with status ${status}`)
}

/** Compiles what production runs, into a folder of its own, which it returns. `npm run check` checks the types. */
export const compile = async () => {
  await run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--noCheck', '--outDir', folder)
  await run('scripts/copy-demo.mjs', folder)
  return `${root}${folder}`
}
