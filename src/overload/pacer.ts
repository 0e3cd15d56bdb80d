/** In milliseconds. */
const timeSlice = 1

/** Runs jobs one after the other in slices of about a millisecond, so that many of them never block the event loop. */
export class Pacer {
  private readonly jobs: (() => void)[] = []
  private isRunning = false

  run<T>(job: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.jobs.push(() => {
        try {
          resolve(job())
        } catch (error) {
          reject(error)
        }
      })
      this.runSlice()
    })
  }

  private runSlice() {
    if (this.isRunning || this.jobs.length === 0) return
    this.isRunning = true
    setImmediate(() => this.runUntil(performance.now() + timeSlice))
  }

  private runUntil(end: number) {
    this.jobs.shift()?.()
    // Looks at the clock in the next tick, after all microtasks, so that the time of a job includes what follows its awaits, unless
    // it waits for I/O.
    queueMicrotask(() =>
      process.nextTick(() => {
        if (this.jobs.length > 0 && performance.now() < end) return this.runUntil(end)
        this.isRunning = false
        this.runSlice()
      })
    )
  }
}
