interface Window {
  count: number
  ends: number
}

/** Counts what each caller asks for, in windows that begin with its first request. */
export class Rate<Caller> {
  private readonly windows = new Map<Caller, Window>()

  /** Of more than `most` callers, the one whose window began first is forgotten. */
  constructor(
    private readonly length: number,
    private readonly most: number
  ) {}

  /** Counts a request. Gives the milliseconds until the caller may ask again, 0 where this one is within `limit`. */
  count(caller: Caller, limit: number, now = performance.now()) {
    const window = this.windows.get(caller)
    if (window && now < window.ends) return ++window.count > limit ? window.ends - now : 0

    // Put in anew, so that the map stays in the order in which the windows began.
    this.windows.delete(caller)
    this.windows.set(caller, { count: 1, ends: now + this.length })
    if (this.windows.size > this.most) this.windows.delete(this.windows.keys().next().value as Caller)
    return 0
  }
}
