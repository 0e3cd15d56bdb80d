import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { apart } from '../helpers/apart.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const tsc = join(root, 'node_modules/typescript/bin/tsc')
const env = { PATH: process.env.PATH }

t.test('what is built is a package of plain JavaScript with types', async t => {
  // Below node_modules, so that the dependency is found.
  const cache = join(root, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'viewer-client-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  // `npm run check` checks the types.
  await run(...apart(tsc, '-p', 'client', '--noCheck', '--outDir', join(folder, 'dist')), { cwd: root, env })

  t.test('that needs only the packages that it names', async t => {
    const { dependencies, exports } = JSON.parse(await readFile(join(root, 'client/package.json'), 'utf8'))
    const files = await readdir(join(folder, 'dist'))
    for (const file of Object.values<string>(exports['.'])) t.ok(files.includes(file.replace('./dist/', '')), file)
    const texts = await Promise.all(files.map(file => readFile(join(folder, 'dist', file), 'utf8')))
    const named = texts.flatMap(text => [...text.matchAll(/(?:from|import) ?\(?['"]([^'"]+)['"]/g)].map(([, name = '']) => name))
    const foreign = new Set(named.filter(name => !name.startsWith('.')))
    t.strictSame([...foreign], Object.keys(dependencies))
  })

  t.test('that runs in Node as it is', async t => {
    const script =
      "const { createClient } = await import('./dist/index.js'); createClient({ baseUrl: 'http://localhost' }).user().then(console.log)"
    const { stdout } = await run(...apart('--input-type=module', '--eval', script), { cwd: folder, env })
    t.equal(stdout.trim(), 'undefined', 'and the process is free to exit')
  })

  t.test('whose types serve an app for browsers', async t => {
    const app = [
      "import { createClient, type Schemas } from './dist/index.js'",
      "const viewer = createClient({ baseUrl: 'http://localhost' })",
      "const { collection } = await viewer.get('/history', { params: { query: { content_id: [1] } } })",
      'const first: number | undefined = collection[0]?.time',
      "const wrong: string = (await viewer.get('/recommendations'))[0]?.id",
      "export type Name = Schemas['Content']['name']",
      'export { first, wrong }'
    ]
    await writeFile(join(folder, 'app.ts'), app.join('\n'))
    const target = { target: 'es2022', module: 'esnext', moduleResolution: 'bundler', types: [] }
    const compilerOptions = { ...target, noEmit: true, strict: true, skipDefaultLibCheck: true }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['app.ts'] }))
    const { stdout } = await run(...apart(tsc, '-p', '.'), { cwd: folder, env }).catch(failed => failed)
    const lines = stdout.trim().split('\n')
    t.equal(lines.length, 1, stdout)
    t.match(lines[0], /app\.ts\(5,7\): error TS2322/, 'only the real mistake is reported')
  })
})
