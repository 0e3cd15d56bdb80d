import type { CallerKey } from './caller-counts.js'

/** A queue in which callers take turns, so that one who has many jobs in it delays the others by one job at most. */
export class Turns<Job> {
  /** The jobs of each caller. The caller whose turn is next comes first. */
  private readonly waiting = new Map<CallerKey | undefined, Job[]>()

  push(job: Job, caller: CallerKey | undefined) {
    const own = this.waiting.get(caller)
    if (own) own.push(job)
    else this.waiting.set(caller, [job])
  }

  /** Removes the next job of the first caller who is ready. */
  shift(isReady: (caller: CallerKey | undefined) => boolean = () => true): Job | undefined {
    for (const [caller, own] of this.waiting) {
      if (!isReady(caller)) continue
      const job = own.shift()
      this.waiting.delete(caller)
      if (own.length > 0) this.waiting.set(caller, own)
      return job
    }
    return undefined
  }
}
