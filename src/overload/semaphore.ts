/** Whom a job counts for: an account, or the address of a caller without one. */
export type CallerKey = number | string

/** Runs `permits` jobs at once, at most `permitsOfOne` for one caller. Callers take turns in the queue. */
export class Semaphore {
  private readonly running = new CallerCounts()
  private held = 0
  /** The jobs of each caller that wait. The caller whose turn is next comes first. */
  private readonly waiting = new Map<CallerKey | undefined, (() => void)[]>()

  constructor(
    private readonly permits: number,
    private readonly permitsOfOne = permits
  ) {}

  /** Calls back as soon as there is a permit, which has to be released. */
  acquire(onAcquired: () => void, caller?: CallerKey) {
    if (this.held < this.permits && this.mayRun(caller)) return this.begin(onAcquired, caller)
    const own = this.waiting.get(caller)
    if (own) own.push(onAcquired)
    else this.waiting.set(caller, [onAcquired])
  }

  /** Passes a permit of this caller on to the next in the queue. */
  release(caller?: CallerKey) {
    this.held--
    this.running.remove(caller)
    for (const [next, jobs] of this.waiting) {
      if (!this.mayRun(next)) continue
      this.waiting.delete(next)
      const job = jobs.shift() as () => void
      if (jobs.length > 0) this.waiting.set(next, jobs)
      return this.begin(job, next)
    }
  }

  async run<T>(job: () => Promise<T>, caller?: CallerKey): Promise<T> {
    await new Promise<void>(resolve => this.acquire(resolve, caller))
    try {
      return await job()
    } finally {
      this.release(caller)
    }
  }

  private mayRun(caller: CallerKey | undefined) {
    return this.running.of(caller) < this.permitsOfOne
  }

  private begin(onAcquired: () => void, caller: CallerKey | undefined) {
    this.held++
    this.running.add(caller)
    onAcquired()
  }
}

/** How many jobs each caller has. Jobs of nobody in particular are not counted. */
export class CallerCounts {
  private readonly counts = new Map<CallerKey, number>()

  /** The number of callers with a job. */
  get size() {
    return this.counts.size
  }

  of(caller: CallerKey | undefined) {
    return caller === undefined ? 0 : (this.counts.get(caller) ?? 0)
  }

  add(caller: CallerKey | undefined) {
    if (caller !== undefined) this.counts.set(caller, this.of(caller) + 1)
  }

  remove(caller: CallerKey | undefined) {
    if (caller === undefined) return
    const left = this.of(caller) - 1
    if (left > 0) this.counts.set(caller, left)
    else this.counts.delete(caller)
  }
}
