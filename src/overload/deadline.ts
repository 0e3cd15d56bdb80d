import { unavailable } from '../errors.js'

/** Resolves with the promise, or rejects with a 503 after this many milliseconds. */
export const withDeadline = <T>(promise: Promise<T>, milliseconds: number) =>
  new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(unavailable()), Math.max(0, milliseconds))
    promise.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
