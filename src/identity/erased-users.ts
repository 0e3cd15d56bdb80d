import type { Data } from '../data/index.js'
import { minutes } from '../time.js'

/** Processes that are killed may note an erasure without raising its revision. */
const rereadEvery = minutes(10)

/** The erased users whose tokens may still be alive. */
export class ErasedUsers {
  /** When each is to be swept, in the time of `performance.now()`, because the clocks of processes differ. */
  private sweeps = new Map<number, number>()
  private revision: number | undefined
  private readAt = 0

  constructor(private readonly data: Pick<Data, 'erasures' | 'revisions'>) {}

  has(id: number) {
    return this.sweeps.has(id)
  }

  /** Reads them again if they may have changed. */
  async refresh() {
    const began = performance.now()
    const revision = await this.data.revisions.of('erasures')
    if (revision === this.revision && began - this.readAt < rereadEvery) return
    const held = await this.data.erasures.held()
    this.sweeps = new Map(held.map(({ _id, sweepIn }) => [_id, performance.now() + sweepIn]))
    this.revision = revision
    this.readAt = began
  }

  /** Those to be swept now. */
  due() {
    const now = performance.now()
    return [...this.sweeps].filter(([, sweepAt]) => sweepAt <= now).map(([id]) => id)
  }

  /** Plans the next sweep by this process. The next reading replaces the plan. */
  plan(id: number, milliseconds: number) {
    this.sweeps.set(id, performance.now() + milliseconds)
  }
}
