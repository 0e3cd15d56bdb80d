import { setTimeout as sleep } from 'node:timers/promises'
import { isUnavailable } from '../database/faults.js'
import { ErrorAnswer } from '../errors.js'

/** Whether an operation failed because the database did not respond in time. */
export const isAway = (error: unknown) => (error instanceof ErrorAnswer ? error.statusCode === 503 : isUnavailable(error))

/** In milliseconds. */
const pause = 500

/** Remembers that the database does not respond, so that not every caller has to wait to find out. */
export class Outage {
  isKnown = false

  constructor(
    private readonly isOver: () => Promise<boolean>,
    private readonly signal: AbortSignal
  ) {}

  /** Begins an outage if the error of a failed read means that. Otherwise throws the error. */
  noteOrThrow(error: unknown) {
    if (!isAway(error)) throw error
    void this.begin()
  }

  /** Pings until the database responds, or the signal aborts. */
  private async begin() {
    if (this.isKnown) return
    this.isKnown = true
    const { signal } = this
    while (!(await this.isOver()) && !signal.aborted) await sleep(pause, undefined, { signal }).catch(() => undefined)
    this.isKnown = false
  }
}
