import { homedir } from 'node:os'
import { join } from 'node:path'

/** The folder for downloads. It is outside of node_modules, so that an install does not delete it. */
export const cacheFolder = (name: string) => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'viewer', name)
