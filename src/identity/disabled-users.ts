import type { Data } from '../data/index.js'
import { minutes } from '../time.js'

/** Operators who edit the database by hand, and commands that are killed, raise no revision. */
const rereadEvery = minutes(10)

/** The ids of all disabled users. */
export class DisabledUsers {
  private ids = new Set<number>()
  private revision: number | undefined
  private readAt = 0

  constructor(private readonly data: Pick<Data, 'users' | 'revisions'>) {}

  has(id: number) {
    return this.ids.has(id)
  }

  /** Reads them again if they may have changed. */
  async refresh() {
    const began = Date.now()
    const revision = await this.data.revisions.of('disabled_users')
    if (revision === this.revision && began - this.readAt < rereadEvery) return
    this.ids = await this.data.users.disabled()
    this.revision = revision
    this.readAt = began
  }
}
