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

/** How many processes share most files from the start. One more takes part when the files that run alone are done. */
const earlyProcesses = 3

/** The program of one process. */
const entryOf = (files: string[], marks: string) => {
  const urls = files.map(file => pathToFileURL(file))
  const [runFiles, list] = [new URL('./run-files.mjs', import.meta.url), JSON.stringify(urls, null, 2)]
  return `import { runFiles } from '${runFiles}'\n\nrunFiles(${list}, ${JSON.stringify(marks)})\n`
}

/**
 * Writes an entry file for each process that runs test files. Those that share the files have the same list, and each takes the next
 * file from it. Files with their own process mostly wait, so they run one after the other beside the others, which use the cores.
 */
export const entriesOf = async (files: string[], folder: string) => {
  const shared = files.filter(file => !isAlone(file))
  const sharing = Array.from({ length: earlyProcesses + 1 }, (_, n) => ({ name: `shared-${n + 1}`, marks: 'shared', files: shared }))
  const alone = files.filter(isAlone).map(file => {
    const name = basename(file, '.test.ts')
    return { name, marks: name, files: [file] }
  })
  const inOrder = [...alone.slice(0, 1), ...sharing.slice(0, earlyProcesses), ...alone.slice(1), ...sharing.slice(earlyProcesses)]
  await rm(folder, { recursive: true, force: true })
  return Promise.all(
    inOrder.map(async ({ name, marks, files }, n) => {
      const taken = join(folder, 'taken', marks)
      await mkdir(taken, { recursive: true })
      // tap starts files in order of their names.
      const entry = join(folder, `${String(n).padStart(2, '0')}-${name}.mjs`)
      await writeFile(entry, entryOf(files, taken))
      return entry
    })
  )
}
