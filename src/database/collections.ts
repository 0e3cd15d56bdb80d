import type { Db, IndexDescription } from 'mongodb'
import { contentIndexes } from '../catalogue/content-documents.js'
import { termIndexes } from '../catalogue/term-documents.js'
import { loginAttemptIndexes } from '../identity/attempts.js'
import { deviceCodeIndexes } from '../identity/device-codes.js'
import { sessionIndexes } from '../identity/sessions.js'
import { userIndexes } from '../identity/users.js'
import { auditIndexes } from '../privacy/audit.js'
import { erasureIndexes } from '../privacy/erasures.js'
import { seenIndexes } from '../recommendations/serving/seen.js'
import { nudgeIndexes, removalIndexes } from '../sync/index.js'
import { dismissalIndexes } from '../viewing/dismissals.js'
import { historyIndexes } from '../viewing/history.js'
import { listIndexes } from '../viewing/lists.js'
import { streamIndexes } from '../viewing/playing.js'
import { preferencesIndexes } from '../viewing/preferences.js'
import { ratingIndexes } from '../viewing/ratings.js'

/** The indexes of each collection that has any. */
export const indexes: Record<string, IndexDescription[]> = {
  users: userIndexes,
  erasures: erasureIndexes,
  sessions: sessionIndexes,
  login_attempts: loginAttemptIndexes,
  device_codes: deviceCodeIndexes,
  contents: contentIndexes,
  terms: termIndexes,
  history: historyIndexes,
  watchlist: listIndexes,
  dismissals: dismissalIndexes,
  removals: removalIndexes,
  hidden: listIndexes,
  ratings: ratingIndexes,
  preferences: preferencesIndexes,
  seen: seenIndexes,
  streams: streamIndexes,
  nudges: nudgeIndexes,
  audit: auditIndexes
}

/** Those from which an erasure removes documents of its user: the collections with an index on `user_id`. */
export const personalCollections = Object.keys(indexes).filter(name => indexes[name]?.some(({ key }) => 'user_id' in key))

/** Creates the missing indexes. Several processes may do it at once. */
export const ensureIndexes = async (db: Db) => {
  for (const [collection, wanted] of Object.entries(indexes)) await db.collection(collection).createIndexes(wanted)
}
