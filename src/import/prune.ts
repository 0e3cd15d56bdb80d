import type { Db } from 'mongodb'
import { revisionsOf } from '../data/revisions.js'
import type { Kind } from './kind.js'

/** Takes away what the full list of a kind lacks. Answers how many that were. */
export const pruneKind = async (db: Db, kind: Kind) => {
  const gone = (await kind.prune?.()) ?? 0
  if (kind.revision && gone > 0) await revisionsOf(db).raise(kind.revision)
  return gone
}
