import { Turns } from './turns.js'

/** A counting semaphore: `permits` jobs run at once, the others wait in a queue. */
export class Semaphore {
  private readonly queue = new Turns<() => void>()
  private held = 0

  constructor(private readonly permits: number) {}

  /** Calls back as soon as there is a permit, which has to be released. Callers take turns. */
  acquire(onAcquired: () => void, caller?: number) {
    if (this.held >= this.permits) {
      this.queue.push(onAcquired, caller)
      return
    }
    this.held++
    onAcquired()
  }

  /** Passes the permit on to the next in the queue. */
  release() {
    const next = this.queue.shift()
    if (next) next()
    else this.held--
  }

  async run<T>(job: () => Promise<T>): Promise<T> {
    await new Promise<void>(resolve => this.acquire(resolve))
    try {
      return await job()
    } finally {
      this.release()
    }
  }
}
