import type { Settings } from '../config.js'

/** What a request may take beyond one operation on the database, in milliseconds. */
export const timeoutMargin = 500

/** How long a request may take, in milliseconds. */
export const requestTimeoutOf = ({ DATABASE_TIMEOUT }: Settings) => DATABASE_TIMEOUT + timeoutMargin
