import { basename, relative } from 'node:path'

/** How the caller started a command, for texts that say how it is used. The image has no npm scripts. */
export const invocationOf = (name: string, script = process.argv[1] as string) =>
  basename(script) === 'run.mjs' ? `npm run ${name} --` : `node ${relative('', script)}`
