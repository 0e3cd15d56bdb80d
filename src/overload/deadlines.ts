import { Readable } from 'node:stream'
import { unavailable } from '../errors.js'

/** How much longer than one database operation a request may take, in milliseconds. */
export const timeoutMargin = 500

/** How long a request may take, in milliseconds. */
export const answerTimeoutOf = ({ DATABASE_TIMEOUT }: { DATABASE_TIMEOUT: number }) => DATABASE_TIMEOUT + timeoutMargin

/** Resolves with the promise, or rejects with a 503 after this many milliseconds. */
export const withDeadline = <T>(promise: Promise<T>, milliseconds: number) =>
  new Promise<T>((resolve, reject) => {
    let isOver = false
    const giveUp = () => {
      isOver = true
      reject(unavailable())
    }
    const timer = setTimeout(giveUp, Math.max(0, milliseconds))
    const pass = (result: T) => {
      clearTimeout(timer)
      // A stream after the deadline would never be read, and so never end.
      if (isOver && result instanceof Readable) result.destroy()
      resolve(result)
    }
    const fail = (error: unknown) => {
      clearTimeout(timer)
      reject(error)
    }
    promise.then(pass, fail)
  })
