import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/root.js'

/** What all test files of a run share. Runs at the same time have their own folders. */
export const runFolder = (tap: number) => join(root, `.tap/run-${tap}`)

/** The mongod of the run, and the process that keeps it. tap is the parent of each test file. */
export const mongodProcess = () =>
  JSON.parse(readFileSync(join(runFolder(process.ppid), 'mongod.json'), 'utf8')) as { url: string; pid: number }

/** What `npm run compile` has made of a source. */
export const built = (path: string) => join(root, 'built', path)
