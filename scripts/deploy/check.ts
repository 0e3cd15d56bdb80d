import type { Finding } from '../soak/promises.js'

/** Runs real programs over files of deploy/, and reports what it found. */
export type Check = (say: (line: string) => void) => Promise<Finding[]>
