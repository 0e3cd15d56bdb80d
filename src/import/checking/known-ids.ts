import type { Db } from 'mongodb'
import { Table } from '../reading/table.js'
import { inBatches } from '../writing/batches.js'
import { patience } from '../writing/patience.js'

interface Numbered {
  _id: number
}

/** The ids that records of a run may refer to: those of the run itself and those in the database. */
export class KnownIds {
  /** The ids that the run gives, and the places of their records. */
  readonly given = new Table(1, 1)
  private readonly stored = new Table(1)

  constructor(
    private readonly db: Db,
    private readonly collection: string,
    /** Whether the run removes what it does not give. */
    private readonly pruned = false
  ) {}

  async missing(ids: Iterable<number>) {
    const unknown = new Set<number>()
    for (const id of ids) if (!this.given.has(id) && !this.stored.has(id)) unknown.add(id)
    if (this.pruned) return unknown
    for (const batch of inBatches(unknown)) {
      const found = this.db.collection<Numbered>(this.collection).find({ _id: { $in: batch } }, { ...patience, projection: { _id: 1 } })
      for await (const { _id } of found) {
        this.stored.add([_id])
        unknown.delete(_id)
      }
    }
    return unknown
  }
}
