import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What all test files of a run share. tap is the parent of each of their processes, so runs at the same time have their own folders. */
export const runFolder = fileURLToPath(new URL(`../../.tap/run-${process.ppid}`, import.meta.url))

/** The mongod of the run, and the process that keeps it. */
export const mongodProcess = () => JSON.parse(readFileSync(join(runFolder, 'mongod.json'), 'utf8')) as { url: string; pid: number }

/** A file as production runs it, compiled once for the run. It starts in half of the time that its source takes. */
export const built = (path: string) => join(runFolder, 'built', path)
