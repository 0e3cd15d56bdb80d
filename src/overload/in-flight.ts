import { CallerCounts, type CallerKey } from './caller-counts.js'
import { withDeadline } from './deadline.js'

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
