import { Readable } from 'node:stream'
import type { Settings } from '../config.js'
import { unavailable } from '../errors.js'
import { CallerCounts, type CallerKey, Semaphore } from './semaphore.js'

/** How much longer than one database operation a request may take, in milliseconds. */
export const timeoutMargin = 500

/** How long a request may take, in milliseconds. */
export const requestTimeoutOf = ({ DATABASE_TIMEOUT }: Settings) => DATABASE_TIMEOUT + timeoutMargin

/** Resolves with the promise, or rejects with a 503 after this many milliseconds. */
export const withDeadline = <T>(promise: Promise<T>, milliseconds: number) =>
  new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(unavailable()), Math.max(0, milliseconds))
    promise.finally(() => clearTimeout(timer)).then(resolve, reject)
  })

/** Counts the operations in flight and gives each a deadline. It refuses none: callers check for room before they start one. */
export class InFlight {
  count = 0
  private readonly callers = new CallerCounts()

  constructor(
    private readonly limit: number,
    private readonly timeout: number
  ) {}

  get isFull() {
    return this.count >= this.limit
  }

  /**
   * Whether this caller may start an operation although the limit is reached. A caller with less than an equal share may, up to twice the
   * limit in all. So one caller who fills the limit does not shut out the others.
   */
  hasShareFor(caller: CallerKey) {
    const own = this.callers.of(caller)
    const share = this.limit / (this.callers.size + (own === 0 ? 1 : 0))
    return own + 1 <= share && this.count < 2 * this.limit
  }

  /**
   * Starts an operation; call the returned function to end it. Calls `onTimeout` unless it ends in time. `elapsed` milliseconds are already
   * gone.
   */
  start(onTimeout: () => void, elapsed: number, caller?: CallerKey) {
    this.add(caller)
    const timer = setTimeout(onTimeout, Math.max(0, this.timeout - elapsed))
    return () => {
      this.remove(caller)
      clearTimeout(timer)
    }
  }

  /** Resolves with the promise, or rejects with a 503 at the deadline. Past it, the operation still counts until it ends. */
  within<T>(promise: Promise<T>, elapsed = 0, caller?: CallerKey) {
    this.add(caller)
    const counted = promise.finally(() => this.remove(caller))
    return withDeadline(counted, this.timeout - elapsed)
  }

  private add(caller: CallerKey | undefined) {
    this.count++
    this.callers.add(caller)
  }

  private remove(caller: CallerKey | undefined) {
    this.count--
    this.callers.remove(caller)
  }
}

/**
 * Runs a few jobs at once, at most `concurrencyOfOne` of them for one caller. The others wait in a queue, in which callers take turns.
 * A job that is still queued at its deadline never begins.
 */
export class DeadlineQueue {
  private readonly semaphore: Semaphore

  constructor(
    concurrency: number,
    concurrencyOfOne: number,
    private readonly inFlight: InFlight
  ) {
    this.semaphore = new Semaphore(concurrency, concurrencyOfOne)
  }

  /** Resolves with the result of the job, or rejects with a 503 at the deadline. `elapsed` milliseconds are already gone. */
  run<T>(job: () => T | Promise<T>, elapsed: number, caller?: CallerKey) {
    return new Promise<T>((resolve, reject) => {
      let isExpired = false
      const end = this.inFlight.start(
        () => {
          isExpired = true
          reject(unavailable())
        },
        elapsed,
        caller
      )
      this.semaphore.acquire(async () => {
        try {
          // The await is for expired jobs, too: without it, a long queue of them would overflow the stack.
          const result = await (isExpired ? undefined : job())
          // Nobody reads a stream that comes too late, so it would never end.
          if (isExpired && result instanceof Readable) result.destroy()
          // Does nothing after the deadline, when the promise has already been rejected.
          resolve(result as T)
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
