import { existsSync } from 'node:fs'
import { join } from 'node:path'

const above = join(import.meta.dirname, '..')

/** The folder of the repository, whether this runs from source or compiled in `built/`. */
export const root = existsSync(join(above, 'tsconfig.json')) ? above : join(above, '..')
