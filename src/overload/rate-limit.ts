import { copyText, entrySize, trackMemory } from '../cache.js'
import type { Settings } from '../config.js'
import { callerOf } from '../http/addresses.js'
import type { Viewer } from '../identity/tokens.js'
import { minutes } from '../time.js'
import type { CallerKey } from './semaphore.js'

/** Counts requests by account for signed-in callers (by profile if their token has an age limit), and by address for all others. */
export const rateLimitsOf = ({ RATE_LIMIT, RATE_LIMIT_ADDRESS }: Settings) => {
  const users = new RateLimit<number>(minutes(1), memoryBound)
  const addresses = new RateLimit<string>(minutes(1), memoryBound)
  /** Counts a request. Returns how long the caller must wait, in milliseconds, or 0 if it is within its limit. */
  return (viewer: Viewer | null, ip: string) =>
    viewer
      ? RATE_LIMIT && users.count(countedAs(viewer), RATE_LIMIT)
      : RATE_LIMIT_ADDRESS && addresses.count(callerOf(ip), RATE_LIMIT_ADDRESS)
}

/** In bytes, for each kind of caller: enough for about 87,000 accounts, or for 62,000 addresses and more. */
const memoryBound = 10 * 1024 * 1024

/**
 * A profile with an age limit is counted separately, so that a child cannot use up the limit of its parents. Not with an identity provider,
 * where requests are counted before the profile is known. The key is negative, because the id of a first profile is also that of its
 * account.
 */
const countedAs = ({ id, account, maxAge }: Viewer) => (maxAge === undefined ? account : -id)

interface Window {
  count: number
  ends: number
}

/** Counts the requests of each caller in fixed windows. A caller's window begins with its first request. */
export class RateLimit<Key extends CallerKey> {
  private readonly windows = new Map<Key, Window>()
  /** The memory for all callers, in bytes. */
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
