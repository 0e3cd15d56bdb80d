/** Whom a job counts for: an account, or the address of a caller without one. */
export type CallerKey = number | string

/** How many jobs each caller has. Jobs of nobody in particular are not counted. */
export class CallerCounts {
  private readonly counts = new Map<CallerKey, number>()

  /** The number of callers with a job. */
  get size() {
    return this.counts.size
  }

  of(caller: CallerKey | undefined) {
    return caller === undefined ? 0 : (this.counts.get(caller) ?? 0)
  }

  add(caller: CallerKey | undefined) {
    if (caller !== undefined) this.counts.set(caller, this.of(caller) + 1)
  }

  remove(caller: CallerKey | undefined) {
    if (caller === undefined) return
    const left = this.of(caller) - 1
    if (left > 0) this.counts.set(caller, left)
    else this.counts.delete(caller)
  }
}
