/** Milliseconds. */
const atOnce = 1

/**
 * Runs jobs one after the other, for about a millisecond in each turn of the event loop, so that a crowd of jobs never holds up
 * whatever else a turn brings.
 */
export class Pace {
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
      this.goOn()
    })
  }

  private goOn() {
    if (this.isRunning || this.jobs.length === 0) return
    this.isRunning = true
    setImmediate(() => this.runUntil(performance.now() + atOnce))
  }

  private runUntil(end: number) {
    this.jobs.shift()?.()
    // What a job goes on with after an await is a part of it. Where nothing from outside is awaited, it is done by the next tick.
    queueMicrotask(() =>
      process.nextTick(() => {
        if (this.jobs.length > 0 && performance.now() < end) return this.runUntil(end)
        this.isRunning = false
        this.goOn()
      })
    )
  }
}
