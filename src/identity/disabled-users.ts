import type { Data } from '../data/index.js'
import { minutes } from '../time.js'

/** Nobody raises a revision for what an operator writes into the database, or for a command that is killed on the way. */
const compareEvery = minutes(10)

/** Who is disabled, as this process knows it: their tokens count for nothing, whoever signed them. */
export class DisabledUsers {
  private ids = new Set<number>()
  private seen: number | undefined
  private comparedAt = 0

  constructor(private readonly data: Pick<Data, 'users' | 'revisions'>) {}

  has(id: number) {
    return this.ids.has(id)
  }

  /** Reads them again if they have changed. */
  async refresh() {
    const began = Date.now()
    const revision = await this.data.revisions.of('disabled_users')
    if (revision === this.seen && began - this.comparedAt < compareEvery) return
    this.ids = await this.data.users.disabled()
    this.seen = revision
    this.comparedAt = began
  }
}
