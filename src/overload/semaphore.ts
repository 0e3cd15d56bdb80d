import { unavailable } from '../errors.js'

/** For whom a job counts: an account, or the address of a caller without one. */
export type CallerKey = number | string

interface Waiter {
  since: number
  begin: () => void
}

/**
 * Runs `permits` jobs at once, at most `permitsOfOne` for one caller. Callers take turns in the queue. Once the first has waited longer
 * than `patience` milliseconds, the last are served first, because the others are about to time out and would not use the result.
 */
export class Semaphore {
  private readonly running = new CallerCounts()
  /** The waiting jobs of each caller. The caller whose turn is next comes first. */
  private readonly queue = new Map<CallerKey | undefined, Waiter[]>()

  constructor(
    private readonly permits: number,
    private readonly permitsOfOne = permits,
    private readonly patience = Number.POSITIVE_INFINITY
  ) {}

  /** Queues a job. Rejects with a 503 if the job has not begun after this many milliseconds; it then never begins. */
  async run<T>(job: () => T | Promise<T>, caller?: CallerKey, milliseconds?: number): Promise<T> {
    if (this.mayBegin(caller)) this.running.add(caller)
    else await this.turnOf(caller, milliseconds)
    try {
      return await job()
    } finally {
      this.running.remove(caller)
      this.beginNext()
    }
  }

  private mayBegin(caller: CallerKey | undefined) {
    return this.running.total < this.permits && this.running.of(caller) < this.permitsOfOne
  }

  /** Resolves with the permit. */
  private turnOf(caller: CallerKey | undefined, milliseconds: number | undefined) {
    return new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        this.remove(waiter, caller)
        reject(unavailable())
      }
      const timer = milliseconds === undefined ? undefined : setTimeout(giveUp, Math.max(0, milliseconds))
      const begin = () => {
        clearTimeout(timer)
        this.running.add(caller)
        resolve()
      }
      const waiter = { since: performance.now(), begin }
      const own = this.queue.get(caller)
      if (own) own.push(waiter)
      else this.queue.set(caller, [waiter])
    })
  }

  private remove(waiter: Waiter, caller: CallerKey | undefined) {
    const own = this.queue.get(caller) as Waiter[]
    own.splice(own.indexOf(waiter), 1)
    if (own.length === 0) this.queue.delete(caller)
  }

  private beginNext() {
    const isLate = this.isLate()
    const callers = isLate ? [...this.queue].reverse() : this.queue
    for (const [caller, own] of callers) {
      if (!this.mayBegin(caller)) continue
      this.queue.delete(caller)
      const { begin } = (isLate ? own.pop() : own.shift()) as Waiter
      if (own.length > 0) this.queue.set(caller, own)
      return begin()
    }
  }

  private isLate() {
    const [first] = this.queue.values()
    return first?.[0] !== undefined && performance.now() - first[0].since > this.patience
  }
}

/** How many jobs there are in total, and of each caller. */
export class CallerCounts {
  total = 0
  private readonly counts = new Map<CallerKey, number>()

  /** The number of callers with a job. */
  get callers() {
    return this.counts.size
  }

  of(caller: CallerKey | undefined) {
    return caller === undefined ? 0 : (this.counts.get(caller) ?? 0)
  }

  /** Without a caller, the job only adds to the total. */
  add(caller: CallerKey | undefined) {
    this.total++
    if (caller !== undefined) this.counts.set(caller, this.of(caller) + 1)
  }

  remove(caller: CallerKey | undefined) {
    this.total--
    if (caller === undefined) return
    const left = this.of(caller) - 1
    if (left > 0) this.counts.set(caller, left)
    else this.counts.delete(caller)
  }
}
