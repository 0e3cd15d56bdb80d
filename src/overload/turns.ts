/** A semaphore: some jobs run at once, the others wait in a queue. */
export class Turns {
  private readonly queue: (() => void)[] = []
  private running = 0

  constructor(private readonly atOnce: number) {}

  /** Begins a job, now or when its turn comes. It has to say when it has ended. */
  begin(job: () => void) {
    if (this.running >= this.atOnce) {
      this.queue.push(job)
      return
    }
    this.running++
    job()
  }

  /** A job that ends hands its place to the next one that waits. */
  end() {
    const next = this.queue.shift()
    if (next) next()
    else this.running--
  }

  async take<T>(job: () => Promise<T>): Promise<T> {
    await new Promise<void>(resolve => this.begin(resolve))
    try {
      return await job()
    } finally {
      this.end()
    }
  }
}
