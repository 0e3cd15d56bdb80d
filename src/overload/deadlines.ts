import { Readable } from 'node:stream'
import { unavailable } from '../errors.js'
import { CallerCounts, type CallerKey, type Semaphore } from './semaphore.js'

/** How much longer than one database operation a request may take, in milliseconds. */
export const timeoutMargin = 500

/** How long a request may take, in milliseconds. */
export const answerTimeoutOf = ({ DATABASE_TIMEOUT }: { DATABASE_TIMEOUT: number }) => DATABASE_TIMEOUT + timeoutMargin

/** Resolves with the promise, or rejects with a 503 after this many milliseconds. */
export const withDeadline = <T>(promise: Promise<T>, milliseconds: number) =>
  new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(unavailable()), Math.max(0, milliseconds))
    promise.finally(() => clearTimeout(timer)).then(resolve, reject)
  })

/** Counts the operations in progress and gives each a deadline. Check `isFull` and `hasShareFor` before you start one. */
export class InProgress {
  count = 0
  private readonly callers = new CallerCounts()

  constructor(
    private readonly limit: number,
    private readonly timeout: number
  ) {}

  get isFull() {
    return this.count >= this.limit
  }

  /** Callers below their equal share are admitted up to twice the limit, so that one caller does not shut out the others. */
  hasShareFor(caller: CallerKey) {
    const own = this.callers.of(caller)
    const share = this.limit / (this.callers.size + (own === 0 ? 1 : 0))
    return own + 1 <= share && this.count < 2 * this.limit
  }

  /** Starts an operation; call the returned function to end it. `elapsed` milliseconds of its time are already gone. */
  start(onTimeout: () => void, elapsed: number, caller?: CallerKey) {
    this.count++
    this.callers.add(caller)
    const timer = setTimeout(onTimeout, Math.max(0, this.timeout - elapsed))
    return () => {
      this.count--
      this.callers.remove(caller)
      clearTimeout(timer)
    }
  }

  /** Resolves with the promise, or rejects with a 503 at the deadline. Past it, the operation still counts until it ends. */
  within<T>(promise: Promise<T>, elapsed = 0, caller?: CallerKey) {
    return new Promise<T>((resolve, reject) => {
      const end = this.start(() => reject(unavailable()), elapsed, caller)
      promise.finally(end).then(resolve, reject)
    })
  }
}

/**
 * Runs jobs when the semaphore has a permit for their caller. `inProgress` counts them and sets their deadlines. A job that is still queued
 * at its deadline never begins.
 */
export class DeadlineQueue {
  constructor(
    private readonly semaphore: Semaphore,
    private readonly inProgress: InProgress
  ) {}

  /** Resolves with the result of the job, or rejects with a 503 at the deadline. `elapsed` milliseconds are already gone. */
  run<T>(job: () => T | Promise<T>, elapsed: number, caller?: CallerKey) {
    return new Promise<T>((resolve, reject) => {
      let isExpired = false
      let giveUp: (() => boolean) | undefined
      const end = this.inProgress.start(
        () => {
          isExpired = true
          reject(unavailable())
          if (giveUp?.()) end()
        },
        elapsed,
        caller
      )
      giveUp = this.semaphore.acquire(async () => {
        try {
          const result = await job()
          // Nobody reads a stream that comes too late, so it would never end.
          if (isExpired && result instanceof Readable) result.destroy()
          // Does nothing after the deadline, when the promise has already been rejected.
          resolve(result)
        } catch (error) {
          reject(error)
        } finally {
          end()
          this.semaphore.release(caller)
        }
      }, caller)
    })
  }
}
