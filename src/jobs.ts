import { setImmediate as nextTurn } from 'node:timers/promises'
import { unavailable } from './errors.js'
import { Turns } from './turns.js'
import { Waiting } from './waiting.js'

interface JobsOptions {
  /** How many run at once. */
  atOnce: number
  /** How many may wait for that; one more is refused. */
  waiting?: number
  /** Milliseconds after which nobody waits for a job any longer; without it, the caller's own deadline is enough. */
  deadline?: number
}

/** Runs few jobs at once, each from a turn of the event loop of its own, so that requests are served between them. */
export class Jobs {
  private readonly turns: Turns
  private readonly callers: Waiting | undefined
  private readonly deadline: number

  constructor({ atOnce, waiting = Number.POSITIVE_INFINITY, deadline = Number.POSITIVE_INFINITY }: JobsOptions) {
    this.turns = new Turns(atOnce, waiting, unavailable)
    this.deadline = deadline
    this.callers = deadline < Number.POSITIVE_INFINITY ? new Waiting(Number.POSITIVE_INFINITY, deadline) : undefined
  }

  /** Resolves with what the job gives, or rejects with a 503 after the deadline or where too many wait. */
  run<T>(job: () => T | Promise<T>): Promise<T> {
    const latest = performance.now() + this.deadline
    const answer = this.turns.take(async () => {
      await nextTurn()
      if (performance.now() > latest) throw unavailable()
      return job()
    })
    return this.callers?.within(answer) ?? answer
  }
}
