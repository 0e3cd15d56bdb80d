import { readdirSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Loading the service takes a process seconds, so the test files share a few. */
const shared = 6

/** All test files below a folder. */
export const testFiles = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.test.ts'))
    .sort()
    .map(path => join(folder, path))

/** Whether a test file needs a process of its own: it changes its environment, or starts many others. */
const isAlone = (file: string) => file.endsWith('.alone.test.ts')

/** What imports the test files of one process. A root test that ended before would leave out the rest without a word. */
const entryOf = (files: string[]) => `import t from 'tap'
let hasRunAll = false
process.once('exit', () => {
  if (hasRunAll) return
  console.error('Some files of this process were not run.')
  process.exitCode = 1
})
${files.map(file => `await import('${pathToFileURL(file)}')\n`).join('')}
t.test('the last file', { buffered: false }, async t => {
  hasRunAll = true
  t.pass()
  const whatIsOpen = () => process._getActiveHandles().map(({ constructor, remotePort, spawnargs }) => [constructor.name, remotePort, spawnargs])
  setTimeout(() => {
    console.error('These keep the process up after its last test:', process.getActiveResourcesInfo(), whatIsOpen())
    process.exit(1)
  }, 20_000).unref()
})
`

/**
 * Deals the test files out over processes, and gives an entry for each. tap begins them by their names: those that run alone come
 * first, since they mostly wait, and would leave cores idle at the end.
 */
export const entriesOf = async (files: string[], folder: string) => {
  const together = files.filter(file => !isAlone(file))
  const dealt = Array.from({ length: shared }, (_, n) => together.filter((_, i) => i % shared === n))
  const entries = [
    ...files.filter(isAlone).map(file => ({ name: basename(file, '.test.ts'), files: [file] })),
    ...dealt.map((files, n) => ({ name: `shared-${n + 1}`, files }))
  ]
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
