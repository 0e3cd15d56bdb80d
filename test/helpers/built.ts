import { join } from 'node:path'
import { compile } from './compile.js'

const { TEST_BUILT } = process.env
const folder = TEST_BUILT ?? (await compile())

/** A file as production runs it, compiled for the whole run (scripts/test.ts): it starts in half of the time that its source takes. */
export const built = (path: string) => join(folder, path)
