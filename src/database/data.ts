import type { Db } from 'mongodb'
import { contentsOf } from '../catalogue/content-documents.js'
import { readerOf } from '../catalogue/kinds.js'
import type { LegalDocument } from '../catalogue/legal-documents.js'
import { programmesOf } from '../catalogue/programmes.js'
import type { RailCollectionDocument } from '../catalogue/rail-collections.js'
import type { SupportTextDocument } from '../catalogue/support-texts.js'
import type { TermDocument } from '../catalogue/term-documents.js'
import { codeAttemptsOf, loginAttemptsOf } from '../identity/attempts.js'
import { deviceCodesOf } from '../identity/device-codes.js'
import { profilesOf } from '../identity/profile-documents.js'
import type { OnSessionsEnded } from '../identity/session-ends.js'
import { sessionsOf } from '../identity/sessions.js'
import { usersOf } from '../identity/users.js'
import { auditOf } from '../privacy/audit.js'
import { erasuresOf } from '../privacy/erasures.js'
import { personalOf } from '../privacy/personal.js'
import { allHistoriesOf } from '../recommendations/learning/all-histories.js'
import { recommendationModelsOf } from '../recommendations/model-documents.js'
import { popularityOf } from '../recommendations/popularity-documents.js'
import { seenOf } from '../recommendations/serving/seen.js'
import { changesOf } from '../sync/changed-elements.js'
import { movesOf } from '../sync/moves.js'
import { nudgesOf } from '../sync/nudges.js'
import { dismissalsOf } from '../viewing/dismissals.js'
import { hiddenOf } from '../viewing/hidden.js'
import { historyOf } from '../viewing/history.js'
import { streamsOf } from '../viewing/playing.js'
import { preferencesOf } from '../viewing/preferences.js'
import { ratingsOf } from '../viewing/ratings.js'
import { reportsOf } from '../viewing/reports.js'
import { watchlistOf } from '../viewing/watchlist.js'
import { personalCollections } from './collections.js'
import { leasesOf } from './leases.js'
import { restoresOf } from './restores.js'
import { revisionsOf } from './revisions.js'

interface DataSettings {
  LOGIN_LIMIT: number
  ACCESS_TOKEN_TTL: number
  REFRESH_TOKEN_TTL: number
  REFRESH_GRACE: number
  COMPLETED_AT: number
  AUDIT_DAYS: number
}

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
