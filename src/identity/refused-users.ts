import type { Data } from '../data/index.js'
import { Readings } from './readings.js'

/** Disabled users, and erased ones whose tokens may still be valid. */
export class RefusedUsers {
  private disabled = new Set<number>()
  /** When each erased user is to be swept, in the time of `performance.now()`, because the clocks of processes differ. */
  private sweeps = new Map<number, number>()
  private readonly readings = new Readings()

  constructor(private readonly data: Pick<Data, 'users' | 'erasures' | 'revisions'>) {}

  has(id: number) {
    return this.disabled.has(id) || this.sweeps.has(id)
  }

  hasErased(id: number) {
    return this.sweeps.has(id)
  }

  /** Reads either set again if it may have changed. */
  async refresh() {
    const revisions = await this.data.revisions.read()
    await Promise.all([
      this.readings.reread('disabled_users', revisions.get('disabled_users'), async () => {
        this.disabled = await this.data.users.disabled()
      }),
      this.readings.reread('erasures', revisions.get('erasures'), async () => {
        const erased = await this.data.erasures.toSweep()
        this.sweeps = new Map(erased.map(({ _id, sweepIn }) => [_id, performance.now() + sweepIn]))
      })
    ])
  }

  /** The erased users to be swept now. */
  due() {
    const now = performance.now()
    return [...this.sweeps].filter(([, sweepAt]) => sweepAt <= now).map(([id]) => id)
  }

  /** Plans the next sweep by this process. The next reading replaces the plan. */
  plan(id: number, milliseconds: number) {
    this.sweeps.set(id, performance.now() + milliseconds)
  }
}
