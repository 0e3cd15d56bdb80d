import type { Settings } from '../config.js'

/** How much longer than one database operation a request may take, in milliseconds. */
export const timeoutMargin = 500

/** How long a request may take, in milliseconds. */
export const requestTimeoutOf = ({ DATABASE_TIMEOUT }: Settings) => DATABASE_TIMEOUT + timeoutMargin
