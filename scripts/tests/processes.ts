import { readdirSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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
t.test('the last file', async t => {
  hasRunAll = true
  t.pass()
})
`

/** Deals the test files out over the processes. Gives what tap is to run: an entry for each process, and the files that run alone. */
export const sharingProcesses = async (files: string[], folder: string) => {
  const together = files.filter(file => !isAlone(file))
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const entries = Array.from({ length: shared }, async (_, n) => {
    const entry = join(folder, `${n + 1}.mjs`)
    await writeFile(entry, entryOf(together.filter((_, i) => i % shared === n)))
    return entry
  })
  return [...(await Promise.all(entries)), ...files.filter(isAlone)]
}
