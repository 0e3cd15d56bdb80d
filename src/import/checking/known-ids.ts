import type { Db } from 'mongodb'
import { inBatches } from '../batches.js'
import { Table } from '../table.js'
import { operationTimeout } from '../timeouts.js'

interface Numbered {
  _id: number
}

/** The ids that records may refer to: those in the run and those in the database. */
export class KnownIds {
  /** The ids in the run, with the places of their records. */
  readonly given = new Table(1, 1)
  private readonly stored = new Table(1)

  constructor(
    private readonly db: Db,
    private readonly collection: string,
    /** Whether ids that only the database has will be removed. */
    private readonly pruned = false
  ) {}

  async missing(ids: Iterable<number>) {
    const unknown = new Set<number>()
    for (const id of ids) if (!this.given.has(id) && !this.stored.has(id)) unknown.add(id)
    if (this.pruned) return unknown
    for (const batch of inBatches(unknown)) {
      const found = this.db
        .collection<Numbered>(this.collection)
        .find({ _id: { $in: batch } }, { ...operationTimeout, projection: { _id: 1 } })
      for await (const { _id } of found) {
        this.stored.add([_id])
        unknown.delete(_id)
      }
    }
    return unknown
  }
}
