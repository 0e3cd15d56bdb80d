import { CallerCounts, type CallerKey } from './caller-counts.js'
import { Turns } from './turns.js'

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
