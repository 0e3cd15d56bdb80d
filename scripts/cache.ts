import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where what was downloaded stays: outside node_modules, so that an install does not empty it. */
export const cacheFolder = (name: string) => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'viewer', name)
