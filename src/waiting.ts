import { unavailable } from './errors.js'

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

  /** Counts one that waits until the function is called that it gives, and calls `giveUp` where that takes too long. */
  begin(giveUp: () => void) {
    this.count++
    const timer = setTimeout(giveUp, this.allowed)
    return () => {
      this.count--
      clearTimeout(timer)
    }
  }

  /** What is promised, or a 503 where that takes too long. */
  within<T>(promised: Promise<T>) {
    return new Promise<T>((resolve, reject) => {
      const end = this.begin(() => reject(unavailable()))
      promised.finally(end).then(resolve, reject)
    })
  }
}
