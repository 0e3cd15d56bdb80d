import { setTimeout as sleep } from 'node:timers/promises'
import { unauthenticated } from '../errors.js'
import { costOf } from './passwords.js'

/** Milliseconds before which no login is refused. */
const soonest = 250
/** A refusal that missed its moment waits for a later one, which come at this distance in milliseconds. */
const step = 250
/** What the usual hashes of older platforms cost: bcrypt at 10, argon2 with 64 MiB and 3 passes. */
const usualCost = 75
/** Not every processor is as fast as costs say, nor idle. */
const margin = 4 / 3

/**
 * Refuses logins at moments that tell nothing about the user. Hashes queue, and what one costs depends on its kind, so the
 * moment is set before any work is done: as if each login in hand had the costliest hash that was met so far.
 */
export class Refusals {
  private inHand = 0
  /** Of all hashes met so far, in milliseconds. */
  highestCost = 0

  /** `atOnce` hashes are checked side by side, and no refusal waits for longer than `latest` milliseconds. */
  constructor(
    private readonly atOnce: number,
    private readonly latest: number
  ) {}

  /** The result of a login that arrived then, of a user with that hash; where there is none, the 401 in due time. */
  async unlessRefused<T>(arrived: number, hash: string | undefined, logIn: () => Promise<T | undefined>): Promise<T> {
    this.highestCost = Math.max(this.highestCost, costOf(hash))
    const latest = arrived + this.latest
    const due = Math.min(latest, this.momentFor(arrived))
    this.inHand++
    try {
      const result = await logIn()
      if (result !== undefined) return result
      await sleep(untilMoment(due, latest))
      throw unauthenticated()
    } finally {
      this.inHand--
    }
  }

  private momentFor(arrived: number) {
    const takes = Math.max(usualCost, this.highestCost) * margin
    const queued = performance.now() - arrived + ((this.inHand + 1) * takes) / this.atOnce
    return arrived + Math.max(soonest, takes, queued)
  }
}

const untilMoment = (due: number, latest: number) => {
  const now = performance.now()
  const late = Math.max(0, now - due)
  return Math.max(0, Math.min(latest, due + Math.ceil(late / step) * step) - now)
}
