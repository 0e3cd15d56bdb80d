import type { Settings } from './config.js'
import { unavailable } from './errors.js'

/** What a request may take beyond one operation on the database. */
const margin = 500

/** How long a request may wait, in milliseconds. */
export const patienceOf = ({ DATABASE_TIMEOUT }: Settings) => DATABASE_TIMEOUT + margin

/** Requests that wait, each until its deadline, and beyond a number of them nobody else begins to wait. */
export class Waiting {
  count = 0

  constructor(
    private readonly most: number,
    private readonly allowed: number
  ) {}

  get isFull() {
    return this.count >= this.most
  }

  /** Counts one that waits until the function is called that it gives, and calls `giveUp` where that takes too long, with what it waited before. */
  begin(giveUp: () => void, before = 0) {
    this.count++
    const timer = setTimeout(giveUp, this.allowed - before)
    return () => {
      this.count--
      clearTimeout(timer)
    }
  }

  /** What is promised, or a 503 where that takes too long. */
  within<T>(promised: Promise<T>, before = 0) {
    return new Promise<T>((resolve, reject) => {
      const end = this.begin(() => reject(unavailable()), before)
      promised.finally(end).then(resolve, reject)
    })
  }
}
