import { withDeadline } from './deadline.js'

/** Counts the operations in flight and gives each a deadline. It refuses none: callers check `isFull` before they start one. */
export class InFlight {
  count = 0

  constructor(
    private readonly limit: number,
    private readonly timeout: number
  ) {}

  get isFull() {
    return this.count >= this.limit
  }

  /** Starts an operation; call the returned function to end it. Calls `onTimeout` unless it ends in time. `elapsed` milliseconds are already gone. */
  start(onTimeout: () => void, elapsed: number) {
    this.count++
    const timer = setTimeout(onTimeout, Math.max(0, this.timeout - elapsed))
    return () => {
      this.count--
      clearTimeout(timer)
    }
  }

  /** Resolves with the promise, or rejects with a 503 at the deadline. Past it, the operation still counts until it ends. */
  within<T>(promise: Promise<T>, elapsed = 0) {
    this.count++
    const counted = promise.finally(() => {
      this.count--
    })
    return withDeadline(counted, this.timeout - elapsed)
  }
}
