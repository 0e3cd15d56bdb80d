import { tooManyRequests } from '../errors.js'

/** Whom a job is for. */
export interface Requester {
  address: string
  account: string
  /** By `performance.now()`. A job that has not begun by then is rejected. */
  deadline: number
}

interface Waiter extends Requester {
  /** The job is due once this many jobs have begun since the start. The queue is sorted by it. */
  turn: number
  begin: () => void
  refuse: (reason: Error) => void
}

/**
 * A semaphore with a bounded queue, for checks of passwords and PINs. Addresses take turns: each gets its first job before any gets its
 * second, so a crowd from one address, or for one account, does not hold up anyone else. If the queue is full, a job with an earlier turn
 * replaces the last one. A job that does not fit is rejected with a 429.
 */
export class LoginQueue {
  private readonly queue: Waiter[] = []
  private readonly running = new Set<Waiter>()
  private begun = 0

  /** `timedOut` creates the error for a job that is still queued at its deadline. */
  constructor(
    private readonly permits: number,
    private readonly maxQueued: () => number,
    private readonly timedOut = tooManyRequests
  ) {}

  async run<T>(requester: Requester, job: () => Promise<T>): Promise<T> {
    const waiter = await this.acquire(requester)
    try {
      return await job()
    } finally {
      this.running.delete(waiter)
      this.beginNext()
    }
  }

  /** Throws if a job of this requester would be rejected now. */
  assertRoom(requester: Requester) {
    if (this.isFull && this.turnOf(requester) >= (this.queue.at(-1)?.turn ?? 0)) throw tooManyRequests()
  }

  private get isFull() {
    return this.running.size >= this.permits && this.queue.length >= this.maxQueued()
  }

  /** A round has one turn for each address. A job waits a round for each job of its address, and a turn for each rival for its account. */
  private turnOf({ address, account }: Requester) {
    const addresses = new Set<string>()
    const rivals = new Set<string>()
    let own = 0
    for (const other of [...this.running, ...this.queue]) {
      addresses.add(other.address)
      if (other.address === address) own++
      else if (other.account === account) rivals.add(other.address)
    }
    return this.begun + own * addresses.size + rivals.size
  }

  private acquire(requester: Requester) {
    return new Promise<Waiter>((resolve, reject) => {
      this.assertRoom(requester)
      const timer = setTimeout(() => this.timeOut(waiter), Math.max(0, requester.deadline - performance.now()))
      const waiter: Waiter = {
        ...requester,
        turn: this.turnOf(requester),
        begin: () => {
          clearTimeout(timer)
          resolve(waiter)
        },
        refuse: reason => {
          clearTimeout(timer)
          reject(reason)
        }
      }
      if (this.isFull) this.queue.pop()?.refuse(tooManyRequests())
      this.queue.splice(this.queue.findLastIndex(({ turn }) => turn <= waiter.turn) + 1, 0, waiter)
      if (this.running.size < this.permits) this.beginNext()
    })
  }

  private timeOut(waiter: Waiter) {
    this.queue.splice(this.queue.indexOf(waiter), 1)
    waiter.refuse(this.timedOut())
  }

  private beginNext() {
    const next = this.queue.shift()
    if (!next) return
    this.begun++
    this.running.add(next)
    next.begin()
  }
}
