import type { Db } from 'mongodb'
import type { CatalogueKind } from '../../data/catalogue.js'
import { revisionsOf } from '../../data/revisions.js'

/** Takes away what the full list of a kind lacks. Answers how many that were. */
export const pruneKind = async (db: Db, takeAway: () => Promise<number>, revision: CatalogueKind) => {
  const gone = await takeAway()
  if (gone > 0) await revisionsOf(db).raise(revision)
  return gone
}
