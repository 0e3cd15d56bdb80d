import type { Settings } from '../config.js'

/** What a request may take beyond one operation on the database. */
const margin = 500

/** How long a request may take, in milliseconds. */
export const requestTimeoutOf = ({ DATABASE_TIMEOUT }: Settings) => DATABASE_TIMEOUT + margin
