import { readdirSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** All test files below a folder. */
export const testFiles = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.test.ts'))
    .sort()
    .map(path => join(folder, path))

/** Whether a test file needs its own process, because it changes its environment or starts many processes. */
const isAlone = (file: string) => file.endsWith('.alone.test.ts')

/** The processes for most files. They start first, beside one file that runs alone, so that all four of tap's `jobs` are busy. */
const earlyProcesses = 3

/**
 * One file in 13 goes to the late process, which starts when the files that run alone are done. With this share, all processes end at
 * about the same time.
 */
const isForLate = (at: number) => at % 13 === 3

/** Distributes most files over a few processes, because each process takes seconds to load the service. The last list is for the late one. */
const dealt = (files: string[]) => {
  const late = files.filter((_, at) => isForLate(at))
  const others = files.filter((_, at) => !isForLate(at))
  const early = Array.from({ length: earlyProcesses }, (_, n) => others.filter((_, at) => at % earlyProcesses === n))
  return [...early, late]
}

/** The program of one process. */
const entryOf = (files: string[]) => {
  const urls = files.map(file => pathToFileURL(file))
  return `import { runFiles } from '${new URL('./run-files.mjs', import.meta.url)}'\n\nawait runFiles(${JSON.stringify(urls, null, 2)})\n`
}

/**
 * Distributes the test files over processes and writes an entry file for each. Files with their own process mostly wait, so they run one
 * after the other beside the early processes, which use the cores.
 */
export const entriesOf = async (files: string[], folder: string) => {
  const alone = files.filter(isAlone).map(file => ({ name: basename(file, '.test.ts'), files: [file] }))
  const shared = dealt(files.filter(file => !isAlone(file))).map((files, n) => ({ name: `shared-${n + 1}`, files }))
  const inOrder = [...alone.slice(0, 1), ...shared.slice(0, earlyProcesses), ...alone.slice(1), ...shared.slice(earlyProcesses)]
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  return Promise.all(
    inOrder.map(async ({ name, files }, n) => {
      // tap starts files in order of their names.
      const entry = join(folder, `${String(n).padStart(2, '0')}-${name}.mjs`)
      await writeFile(entry, entryOf(files))
      return entry
    })
  )
}
