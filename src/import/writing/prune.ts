import type { Db } from 'mongodb'
import { revisionsOf } from '../../data/catalogue.js'
import type { Lease } from '../../data/leases.js'
import type { Kind } from '../kind.js'

type Prunable = Required<Pick<Kind, 'prune' | 'revision'>>

/** Removes what the run lacks and tells the servers. Returns how many documents it has removed. */
export const pruneKind = async (db: Db, { prune, revision }: Prunable, confirm: Lease['confirm']) => {
  const removed = await prune(confirm)
  if (removed > 0) await revisionsOf(db).raise(revision)
  return removed
}
