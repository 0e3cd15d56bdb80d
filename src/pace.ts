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
    setImmediate(this.runSome)
  }

  private readonly runSome = () => {
    this.isRunning = false
    const until = performance.now() + atOnce
    do this.jobs.shift()?.()
    while (this.jobs.length > 0 && performance.now() < until)
    this.goOn()
  }
}
