/** A queue in which callers take turns, so that one who has many jobs in it delays the others by one job at most. */
export class Turns<Job> {
  /** The jobs of each caller. The caller whose turn is next comes first. */
  private readonly waiting = new Map<number | undefined, Job[]>()

  push(job: Job, caller: number | undefined) {
    const own = this.waiting.get(caller)
    if (own) own.push(job)
    else this.waiting.set(caller, [job])
  }

  shift(): Job | undefined {
    const [next] = this.waiting
    if (!next) return undefined
    const [caller, own] = next
    const job = own.shift()
    this.waiting.delete(caller)
    if (own.length > 0) this.waiting.set(caller, own)
    return job
  }
}
