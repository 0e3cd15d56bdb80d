import { addStore, ownText, sizeOfPlace } from '../kept.js'

interface Window {
  count: number
  ends: number
}

/** Counts what each caller asks for, in windows that begin with its first request. */
export class Rate<Caller extends string | number> {
  private readonly windows = new Map<Caller, Window>()
  /** Of all callers, in bytes. */
  weight = 0

  /** Beyond `bound` bytes of callers, those whose windows began first are forgotten. */
  constructor(
    private readonly length: number,
    private readonly bound: number
  ) {
    addStore(this)
  }

  /** Counts a request. Gives the milliseconds until the caller may ask again, 0 where this one is within `limit`. */
  count(caller: Caller, limit: number, now = performance.now()) {
    const window = this.windows.get(caller)
    if (window && now < window.ends) return ++window.count > limit ? window.ends - now : 0

    // Put in anew, so that the map stays in the order in which the windows began.
    this.forget(caller)
    this.windows.set(typeof caller === 'string' ? (ownText(caller) as Caller) : caller, { count: 1, ends: now + this.length })
    this.weight += sizeOfPlace(caller)
    while (this.weight > this.bound) this.forget(this.windows.keys().next().value as Caller)
    return 0
  }

  private forget(caller: Caller) {
    if (this.windows.delete(caller)) this.weight -= sizeOfPlace(caller)
  }
}
