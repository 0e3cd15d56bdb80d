import { Readable } from 'node:stream'
import { unavailable } from '../errors.js'
import type { CallerKey } from './caller-counts.js'
import type { InFlight } from './in-flight.js'
import { Semaphore } from './semaphore.js'

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
