import { tooManyRequests } from '../errors.js'

/** For whom a job is done. */
export interface Caller {
  address: string
  account: string
  /** By the clock of `performance`: a job that has not begun by then is refused. */
  until: number
}

interface Place extends Caller {
  /** When it is to begin, counted in jobs that have begun. */
  turn: number
  begin: () => void
  refuse: (reason: Error) => void
}

/**
 * Lets a number of jobs run at once and a number of them wait, and refuses the rest with a 429. Callers take turns, so that
 * neither a crowd from one address nor a crowd that asks for one account makes others wait: each address has one job begun
 * before any has its second. When all places are taken, the job that is furthest behind loses its place to one that is ahead of it.
 */
export class FairTurns {
  /** In the order in which they will begin. */
  private readonly waiting: Place[] = []
  private readonly running = new Set<Place>()
  private begun = 0

  /** `most` says how many jobs may wait, `late` what one gets whose turn does not come in time. */
  constructor(
    private readonly atOnce: number,
    private readonly most: () => number,
    private readonly late = tooManyRequests
  ) {}

  async take<T>(caller: Caller, job: () => Promise<T>): Promise<T> {
    const place = await this.admit(caller)
    try {
      return await job()
    } finally {
      this.running.delete(place)
      this.beginNext()
    }
  }

  /** Throws where a job would be refused. */
  assertRoom(caller: Caller) {
    if (this.isFull && this.turnOf(caller) >= (this.waiting.at(-1)?.turn ?? 0)) throw tooManyRequests()
  }

  private get isFull() {
    return this.running.size >= this.atOnce && this.waiting.length >= this.most()
  }

  /** Each job of the same address puts it back by a round of all addresses, each other address that asks for the account by one job. */
  private turnOf({ address, account }: Caller) {
    const addresses = new Set<string>()
    const rivals = new Set<string>()
    let own = 0
    for (const place of [...this.running, ...this.waiting]) {
      addresses.add(place.address)
      if (place.address === address) own++
      else if (place.account === account) rivals.add(place.address)
    }
    return this.begun + own * addresses.size + rivals.size
  }

  private admit(caller: Caller) {
    return new Promise<Place>((resolve, refuse) => {
      this.assertRoom(caller)
      const timer = setTimeout(() => this.giveUp(place), Math.max(0, caller.until - performance.now()))
      const place: Place = {
        ...caller,
        turn: this.turnOf(caller),
        begin: () => {
          clearTimeout(timer)
          resolve(place)
        },
        refuse: reason => {
          clearTimeout(timer)
          refuse(reason)
        }
      }
      if (this.isFull) this.waiting.pop()?.refuse(tooManyRequests())
      this.waiting.splice(this.waiting.findLastIndex(({ turn }) => turn <= place.turn) + 1, 0, place)
      if (this.running.size < this.atOnce) this.beginNext()
    })
  }

  private giveUp(place: Place) {
    this.waiting.splice(this.waiting.indexOf(place), 1)
    place.refuse(this.late())
  }

  private beginNext() {
    const next = this.waiting.shift()
    if (!next) return
    this.begun++
    this.running.add(next)
    next.begin()
  }
}
