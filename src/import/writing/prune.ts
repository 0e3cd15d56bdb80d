import type { Db } from 'mongodb'
import { type RevisionKind, revisionsOf } from '../../data/revisions.js'

/** Removes what the run lacks and tells the servers. Returns how many documents it has removed. */
export const pruneKind = async (db: Db, prune: () => Promise<number>, revision: RevisionKind) => {
  const removed = await prune()
  if (removed > 0) await revisionsOf(db).raise(revision)
  return removed
}
