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

  /** What `begin` promises, or a 503 where that takes too long; `isLate` tells it when nobody waits for it any more. */
  within(begin: (isLate: () => boolean) => Promise<unknown>) {
    this.count++
    return new Promise((resolve, reject) => {
      let late = false
      const timer = setTimeout(() => {
        late = true
        reject(unavailable())
      }, this.allowed)
      const end = (settle: (value: unknown) => void) => (value: unknown) => {
        this.count--
        clearTimeout(timer)
        settle(value)
      }
      begin(() => late).then(end(resolve), end(reject))
    })
  }
}
