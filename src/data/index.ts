import type { Db, IndexDescription } from 'mongodb'
import { allHistoriesOf } from './all-histories.js'
import { codeAttemptsOf, loginAttemptIndexes, loginAttemptsOf } from './attempts.js'
import { auditIndexes, auditOf } from './audit.js'
import { readerOf } from './catalogue.js'
import { changesOf } from './changes.js'
import { contentIndexes, contentsOf } from './contents.js'
import { deviceCodeIndexes, deviceCodesOf } from './device-codes.js'
import { dismissalIndexes, dismissalsOf } from './dismissals.js'
import { erasureIndexes, erasuresOf } from './erasures.js'
import { hiddenOf } from './hidden.js'
import { historyIndexes, historyOf } from './history.js'
import { leasesOf } from './leases.js'
import type { LegalDocument } from './legal-documents.js'
import { listIndexes } from './lists.js'
import { movesOf } from './moves.js'
import { nudgeIndexes, nudgesOf } from './nudges.js'
import { personalOf } from './personal.js'
import { streamIndexes, streamsOf } from './playing.js'
import { popularityOf } from './popularity.js'
import { preferencesIndexes, preferencesOf } from './preferences.js'
import { profilesOf } from './profiles.js'
import { programmesOf } from './programmes.js'
import type { RailCollectionDocument } from './rail-collections.js'
import { ratingIndexes, ratingsOf } from './ratings.js'
import { recommendationModelsOf } from './recommendation-models.js'
import { removalIndexes } from './removals.js'
import { reportsOf } from './reports.js'
import { restoresOf } from './restores.js'
import { revisionsOf } from './revisions.js'
import { seenIndexes, seenOf } from './seen.js'
import type { OnSessionsEnded } from './session-ends.js'
import { sessionIndexes, sessionsOf } from './sessions.js'
import type { SupportTextDocument } from './support-texts.js'
import { type TermDocument, termIndexes } from './terms.js'
import { userIndexes, usersOf } from './users.js'
import { watchlistOf } from './watchlist.js'

interface DataSettings {
  LOGIN_LIMIT: number
  ACCESS_TOKEN_TTL: number
  REFRESH_TOKEN_TTL: number
  REFRESH_GRACE: number
  COMPLETED_AT: number
  AUDIT_DAYS: number
}

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
const personalCollections = Object.keys(indexes).filter(name => indexes[name]?.some(({ key }) => 'user_id' in key))

/** All queries of the service, bound to one database. */
export const dataOf = (db: Db, settings: DataSettings, onSessionsEnded?: OnSessionsEnded) => ({
  users: usersOf(db),
  profiles: profilesOf(db),
  erasures: erasuresOf(db),
  personal: personalOf(db, personalCollections),
  sessions: sessionsOf(db, {
    life: settings.REFRESH_TOKEN_TTL,
    accessLife: settings.ACCESS_TOKEN_TTL,
    grace: settings.REFRESH_GRACE,
    onEnd: onSessionsEnded
  }),
  loginAttempts: loginAttemptsOf(db, settings.LOGIN_LIMIT),
  codeAttempts: codeAttemptsOf(db, settings.LOGIN_LIMIT),
  deviceCodes: deviceCodesOf(db),
  revisions: revisionsOf(db),
  restores: restoresOf(db),
  contents: contentsOf(db),
  terms: readerOf<TermDocument>(db, 'terms', { _id: 1 }),
  railCollections: readerOf<RailCollectionDocument>(db, 'rail_collections', { _id: 1 }),
  legalDocuments: readerOf<LegalDocument>(db, 'legal_documents', { _id: 1 }),
  programmes: programmesOf(db),
  supportTexts: readerOf<SupportTextDocument>(db, 'support_texts', { id: 1, language: 1 }),
  popularity: popularityOf(db),
  recommendationModels: recommendationModelsOf(db),
  leases: leasesOf(db),
  history: historyOf(db, settings.COMPLETED_AT),
  changes: changesOf(db),
  nudges: nudgesOf(db),
  reports: reportsOf(db, settings.COMPLETED_AT),
  allHistories: allHistoriesOf(db),
  watchlist: watchlistOf(db),
  dismissals: dismissalsOf(db),
  hidden: hiddenOf(db),
  ratings: ratingsOf(db),
  preferences: preferencesOf(db),
  seen: seenOf(db),
  streams: streamsOf(db),
  moves: movesOf(db),
  audit: auditOf(db, settings.AUDIT_DAYS)
})
export type Data = ReturnType<typeof dataOf>

/** Creates the missing indexes. Several processes may do it at once. */
export const ensureIndexes = async (db: Db) => {
  for (const [collection, wanted] of Object.entries(indexes)) await db.collection(collection).createIndexes(wanted)
}
