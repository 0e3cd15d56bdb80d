/** How long jobs may run in one turn of the event loop, in milliseconds. */
const timeSlice = 1

/** The pacers that have a job. Whichever comes first runs one, then goes to the end. */
const ready: Pacer[] = []
let isRunning = false
let sliceEnds = 0

const runSlice = () => {
  if (isRunning || ready.length === 0) return
  isRunning = true
  setImmediate(() => {
    sliceEnds = performance.now() + timeSlice
    runReady()
  })
}

const runReady = () => {
  ready.shift()?.runNext()
  // Looks at the clock in the next tick, after all microtasks, so that the time of a job includes what follows its awaits, unless
  // it waits for I/O.
  queueMicrotask(() =>
    process.nextTick(() => {
      if (ready.length > 0 && performance.now() < sliceEnds) return runReady()
      isRunning = false
      runSlice()
    })
  )
}

/**
 * Runs jobs one after the other in slices of about a millisecond, so that many of them never block the event loop. All pacers share the
 * slice of a turn and take turns in it, so that the jobs of one do not wait for those of another.
 */
export class Pacer {
  private readonly jobs: (() => void)[] = []

  run<T>(job: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.jobs.push(() => {
        try {
          resolve(job())
        } catch (error) {
          reject(error)
        }
      })
      if (this.jobs.length === 1) ready.push(this)
      runSlice()
    })
  }

  /** For a long job to await between its steps. Once the slice is over, the job goes behind the others that wait. */
  pause(): Promise<void> | undefined {
    return performance.now() < sliceEnds ? undefined : this.run(() => undefined)
  }

  get waiting() {
    return this.jobs.length
  }

  runNext() {
    this.jobs.shift()?.()
    if (this.jobs.length > 0) ready.push(this)
  }
}
