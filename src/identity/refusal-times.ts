import { setTimeout as sleep } from 'node:timers/promises'
import { unauthenticated } from '../errors.js'
import { days } from '../time.js'
import { costOf } from './passwords.js'

/** A refusal is sent at least this many milliseconds after its login arrived. */
const soonestRefusal = 250
/** In milliseconds. A late refusal is sent a multiple of this after it was due, so that its delay reveals little. */
const lateStep = 250
/** In milliseconds, the cost of hashes that are common on older platforms: bcrypt at 10, argon2 with 64 MiB and 3 passes. */
const usualCost = 75
/** For processors that are busy, or slower than the costs assume. */
const margin = 4 / 3
/** How long an expensive hash counts after it was last checked. One that is no longer used must not delay refusals forever. */
const remembered = days(1)

/**
 * Decides when to send a refusal before the hash is checked, as if it were the most expensive hash of the last day, so that the time
 * reveals nothing.
 */
export class Refusals {
  private inFlight = 0
  /** The cost of the most expensive hash of the last day, in milliseconds. */
  highestCost = 0
  private forgottenAt = 0

  /** `atOnce` hashes are checked in parallel. A refusal is sent at most `latest` milliseconds after its login. */
  constructor(
    private readonly atOnce: number,
    private readonly latest: number
  ) {}

  /** Returns the result of the login, or throws the 401 when it is due. */
  async unlessRefused<T>(arrived: number, hash: string | undefined, logIn: () => Promise<T | undefined>): Promise<T> {
    this.note(hash === undefined ? 0 : costOf(hash), arrived)
    const latest = arrived + this.latest
    const due = Math.min(latest, this.dueTime(arrived))
    this.inFlight++
    try {
      const result = await logIn()
      if (result !== undefined) return result
      await sleep(remainingUntil(due, latest))
      throw unauthenticated()
    } finally {
      this.inFlight--
    }
  }

  private note(cost: number, now: number) {
    if (cost < this.highestCost && now < this.forgottenAt) return
    this.highestCost = cost
    this.forgottenAt = now + remembered
  }

  private dueTime(arrived: number) {
    const duration = Math.max(usualCost, this.highestCost) * margin
    const queued = performance.now() - arrived + ((this.inFlight + 1) * duration) / this.atOnce
    return arrived + Math.max(soonestRefusal, duration, queued)
  }
}

const remainingUntil = (due: number, latest: number) => {
  const now = performance.now()
  const late = Math.max(0, now - due)
  return Math.max(0, Math.min(latest, due + Math.ceil(late / lateStep) * lateStep) - now)
}
