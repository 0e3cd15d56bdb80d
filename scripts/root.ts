import { existsSync } from 'node:fs'
import { join } from 'node:path'

const above = join(import.meta.dirname, '..')

/** The folder of the repository, for source and for what `npm run compile` makes of it in `built/`. */
export const root = existsSync(join(above, 'tsconfig.json')) ? above : join(above, '..')
