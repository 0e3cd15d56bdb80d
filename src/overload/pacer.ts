/** How long jobs may run in one turn of the event loop, in milliseconds. */
const timeSlice = 1

/** The pacers that have a job. The first one runs one job, and is then moved to the end. */
const ready: Pacer[] = []
let isRunning = false
/** Whether this turn of the event loop has used its slice. */
let isSliced = false
let sliceEnds = 0

const runFirst = () => {
  if (isRunning || ready.length === 0) return
  isRunning = true
  if (!isSliced) beginSlice()
  if (performance.now() >= sliceEnds) return setImmediate(goOn)
  ready.shift()?.runNext()
  // Continues in the next tick, after all microtasks, so that the time of a job includes what follows its awaits, unless it waits for I/O.
  queueMicrotask(() => process.nextTick(goOn))
}

const goOn = () => {
  isRunning = false
  runFirst()
}

const beginSlice = () => {
  isSliced = true
  sliceEnds = performance.now() + timeSlice
  setImmediate(() => {
    isSliced = false
  })
}

/**
 * Runs jobs one after the other in slices of about a millisecond, so that many of them never block the event loop. A job runs immediately
 * if no other is waiting and the slice is not over. All pacers share the slices and alternate in them, so that the jobs of one do not wait
 * for those of another.
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
      runFirst()
    })
  }

  /** For a long job to await between its steps. Once the slice is over, the job is queued behind the others. */
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
