/** Whom a job counts for: an account, or the address of a caller without one. */
export type CallerKey = number | string

interface Waiter {
  since: number
  begin: () => void
}

/**
 * Runs `permits` jobs at once, at most `permitsOfOne` for one caller. Callers take turns in the queue. Once the first of them has waited
 * longer than `patience` milliseconds, the last ones come first, because the others are about to give up and need no result.
 */
export class Semaphore {
  private readonly running = new CallerCounts()
  private held = 0
  /** The jobs of each caller that wait. The caller whose turn is next comes first. */
  private readonly waiting = new Map<CallerKey | undefined, Waiter[]>()

  constructor(
    private readonly permits: number,
    private readonly permitsOfOne = permits,
    private readonly patience = Number.POSITIVE_INFINITY
  ) {}

  /** Calls back as soon as there is a permit, which has to be released. Call the returned function to give up: it returns whether the job was waiting. */
  acquire(onAcquired: () => void, caller?: CallerKey) {
    if (this.held < this.permits && this.mayRun(caller)) {
      this.begin(onAcquired, caller)
      return () => false
    }
    const waiter = { since: performance.now(), begin: onAcquired }
    const own = this.waiting.get(caller)
    if (own) own.push(waiter)
    else this.waiting.set(caller, [waiter])
    return () => this.giveUp(waiter, caller)
  }

  private giveUp(waiter: Waiter, caller: CallerKey | undefined) {
    const jobs = this.waiting.get(caller) ?? []
    const place = jobs.indexOf(waiter)
    if (place < 0) return false
    jobs.splice(place, 1)
    if (jobs.length === 0) this.waiting.delete(caller)
    return true
  }

  /** Passes a permit of this caller on to the next in the queue. */
  release(caller?: CallerKey) {
    this.held--
    this.running.remove(caller)
    const isLate = this.isLate()
    const callers = isLate ? [...this.waiting].reverse() : this.waiting
    for (const [next, jobs] of callers) {
      if (!this.mayRun(next)) continue
      this.waiting.delete(next)
      const { begin } = (isLate ? jobs.pop() : jobs.shift()) as Waiter
      if (jobs.length > 0) this.waiting.set(next, jobs)
      return this.begin(begin, next)
    }
  }

  private isLate() {
    const [first] = this.waiting.values()
    return first?.[0] !== undefined && performance.now() - first[0].since > this.patience
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
