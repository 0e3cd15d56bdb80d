import type { RevisionKind } from '../data/revisions.js'
import { minutes } from '../time.js'

/** Not every change raises a revision: operators edit the database by hand, and processes are killed after a write. */
const rereadEvery = minutes(10)

/** Remembers at which revision each kind of data was last read. */
export class Readings {
  private readonly last = new Map<RevisionKind, { revision: number; at: number }>()

  /** Calls `read` if the revision has changed since the last reading, or if that was long ago. */
  async reread(kind: RevisionKind, revision = 0, read: () => Promise<void>) {
    const at = performance.now()
    const last = this.last.get(kind)
    if (last?.revision === revision && at - last.at < rereadEvery) return
    await read()
    this.last.set(kind, { revision, at })
  }
}
