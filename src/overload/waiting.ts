import type { Settings } from '../config.js'
import { unavailable } from '../errors.js'

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

  /** Starts a wait; call the returned function to end it. Calls `giveUp` at the deadline, from which what was waited `before` is taken off. */
  begin(giveUp: () => void, before = 0) {
    this.count++
    const timer = setTimeout(giveUp, Math.max(0, this.allowed - before))
    return () => {
      this.count--
      clearTimeout(timer)
    }
  }

  /** Resolves with the promise, or rejects with a 503 after the deadline. */
  within<T>(promised: Promise<T>, before = 0) {
    return new Promise<T>((resolve, reject) => {
      const end = this.begin(() => reject(unavailable()), before)
      promised.finally(end).then(resolve, reject)
    })
  }
}
