import { copyText, entrySize, trackMemory } from '../cache.js'
import type { CallerKey } from './caller-counts.js'

interface Window {
  count: number
  ends: number
}

/** Counts the requests of each caller in fixed windows. A caller's window begins with its first request. */
export class RateLimit<Key extends CallerKey> {
  private readonly windows = new Map<Key, Window>()
  /** Memory that all callers take, in bytes. */
  weight = 0

  /** Windows take `length` milliseconds. Beyond `bound` bytes of memory, the oldest windows are evicted. */
  constructor(
    private readonly length: number,
    private readonly bound: number
  ) {
    trackMemory(this)
  }

  /** Counts a request. Returns 0 if it is within the limit, else the milliseconds until the window ends. */
  count(caller: Key, limit: number, now = performance.now()) {
    const window = this.windows.get(caller)
    if (window && now < window.ends) return ++window.count > limit ? window.ends - now : 0

    // Removed and inserted again, so that the map stays sorted by the age of the windows.
    this.forget(caller)
    this.windows.set(typeof caller === 'string' ? (copyText(caller) as Key) : caller, { count: 1, ends: now + this.length })
    this.weight += entrySize(caller)
    while (this.weight > this.bound) this.forget(this.windows.keys().next().value as Key)
    return 0
  }

  private forget(caller: Key) {
    if (this.windows.delete(caller)) this.weight -= entrySize(caller)
  }
}
