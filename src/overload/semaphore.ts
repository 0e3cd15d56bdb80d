/** Whom a job counts for: an account, or the address of a caller without one. */
export type CallerKey = number | string

/** A counting semaphore: `permits` jobs run at once, at most `permitsOfOne` of them for one caller. The others wait in a queue. */
export class Semaphore {
  private readonly queue = new Turns<() => void>()
  private readonly running = new CallerCounts()
  private held = 0

  constructor(
    private readonly permits: number,
    private readonly permitsOfOne = permits
  ) {}

  /** Calls back as soon as there is a permit, which has to be released. Callers take turns. */
  acquire(onAcquired: () => void, caller?: CallerKey) {
    const begin = () => {
      this.held++
      this.running.add(caller)
      onAcquired()
    }
    if (this.held < this.permits && this.mayRun(caller)) begin()
    else this.queue.push(begin, caller)
  }

  /** Passes a permit of this caller on to the next in the queue. */
  release(caller?: CallerKey) {
    this.held--
    this.running.remove(caller)
    this.queue.shift(this.mayRun)?.()
  }

  async run<T>(job: () => Promise<T>): Promise<T> {
    await new Promise<void>(resolve => this.acquire(resolve))
    try {
      return await job()
    } finally {
      this.release()
    }
  }

  private readonly mayRun = (caller: CallerKey | undefined) => this.running.of(caller) < this.permitsOfOne
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

/** A queue in which callers take turns, so that one who has many jobs in it delays the others by one job at most. */
export class Turns<Job> {
  /** The jobs of each caller. The caller whose turn is next comes first. */
  private readonly waiting = new Map<CallerKey | undefined, Job[]>()

  push(job: Job, caller: CallerKey | undefined) {
    const own = this.waiting.get(caller)
    if (own) own.push(job)
    else this.waiting.set(caller, [job])
  }

  /** Removes the next job of the first caller who is ready. */
  shift(isReady: (caller: CallerKey | undefined) => boolean = () => true): Job | undefined {
    for (const [caller, own] of this.waiting) {
      if (!isReady(caller)) continue
      const job = own.shift()
      this.waiting.delete(caller)
      if (own.length > 0) this.waiting.set(caller, own)
      return job
    }
    return undefined
  }
}
