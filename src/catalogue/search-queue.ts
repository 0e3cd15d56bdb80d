import { unavailable } from '../errors.js'
import { InFlight } from '../overload/deadlines.js'
import { Pacer } from '../overload/pacer.js'

/** How many searches may wait, and for how many milliseconds. */
const maxWaiting = 64
const timeout = 300

/** Searches have a queue of their own, so that many of them do not delay other lists. Only a few may wait, and not for long. */
export class SearchQueue {
  private readonly pacer = new Pacer()
  private readonly inFlight = new InFlight(maxWaiting, timeout)

  /** Calls `onRefused` for each search that finds the queue full. */
  constructor(private readonly onRefused: () => void) {}

  run<T>(search: () => T | Promise<T>): Promise<T> {
    if (this.inFlight.isFull) {
      this.onRefused()
      throw unavailable()
    }
    return this.inFlight.within(this.pacer.run(search))
  }
}
