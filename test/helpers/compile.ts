import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = 'node_modules/.cache/viewer/built'

const run = async (...args: string[]) => {
  const [status] = await once(spawn(process.execPath, args, { cwd: root, stdio: 'inherit' }), 'exit')
  if (status !== 0) throw new Error(`${args[0]} ended with status ${status}`)
}

/** Compiles what production runs, as `npm run build` does but apart from it; types are the affair of `npm run check`. Gives the folder. */
export const compile = async () => {
  await run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--noCheck', '--outDir', folder)
  await run('scripts/copy-demo.mjs', folder)
  return `${root}${folder}`
}
