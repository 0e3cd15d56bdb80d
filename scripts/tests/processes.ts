import { readdirSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Most test files share a few processes, because each takes seconds to load the service. tap runs four at once (`jobs` in
 * package.json). The files are dealt out in this order: the last process gets fewer, because it starts after the files that run alone.
 */
const dealing = [0, 1, 2, 3, 0, 1, 2, 0, 1, 2, 0, 1, 2]

/** All test files below a folder. */
export const testFiles = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.test.ts'))
    .sort()
    .map(path => join(folder, path))

/** Whether a test file needs its own process, because it changes its environment or starts many processes. */
const isAlone = (file: string) => file.endsWith('.alone.test.ts')

const lightTap = new URL('./light-tap.mjs', import.meta.url)

/** Code that imports the test files of one process. If tap ended early, the remaining files would be skipped silently. */
const entryOf = (files: string[]) => `import '${lightTap}'
import t from 'tap'
let hasRunAll = false
process.once('exit', () => {
  if (hasRunAll) return
  console.error('Some test files of this process did not run.')
  process.exitCode = 1
})
let allLoaded
const loading = new Promise(resolve => { allLoaded = resolve })
// Modules that load beside a test would count as memory that the test uses.
t.test('all files are loaded', { buffered: false }, () => loading)
${files.map(file => `await import('${pathToFileURL(file)}')\n`).join('')}
allLoaded()
t.test('the last file', { buffered: false }, async t => {
  hasRunAll = true
  t.pass()
  const whatIsOpen = () => process._getActiveHandles().map(({ constructor, remotePort, spawnargs }) => [constructor.name, remotePort, spawnargs])
  setTimeout(() => {
    console.error('These keep the process alive after its last test:', process.getActiveResourcesInfo(), whatIsOpen())
    process.exit(1)
  }, 20_000).unref()
})
`

/**
 * Distributes the test files over processes and writes an entry file for each. tap starts them in order of their names. Files with
 * their own process mostly wait, so they run one after the other beside three shared processes, which use the cores.
 */
export const entriesOf = async (files: string[], folder: string) => {
  const alone = files.filter(isAlone).map(file => ({ name: basename(file, '.test.ts'), files: [file] }))
  const together = files.filter(file => !isAlone(file))
  const shared = (n: number) => ({
    name: `shared-${n + 1}`,
    files: together.filter((_, i) => dealing[i % dealing.length] === n)
  })
  const entries = [...alone.slice(0, 1), shared(0), shared(1), shared(2), ...alone.slice(1), shared(3)]
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  return Promise.all(
    entries.map(async ({ name, files }, n) => {
      const entry = join(folder, `${String(n).padStart(2, '0')}-${name}.mjs`)
      await writeFile(entry, entryOf(files))
      return entry
    })
  )
}
