import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const isThere = (program: string) => (process.env.PATH as string).split(delimiter).some(folder => existsSync(join(folder, program)))

/** The first of the programs that this machine does not have. */
export const missing = (programs: string[]) => programs.find(program => !isThere(program))
