import type { Db } from 'mongodb'
import { contentsOf } from '../catalogue/content-documents.js'
import { readerOf } from '../catalogue/kinds.js'
import { type LegalDocument, legalValidator } from '../catalogue/legal-documents.js'
import { peopleOf } from '../catalogue/person-documents.js'
import { programmesOf } from '../catalogue/programmes.js'
import { type RailCollectionDocument, railCollectionValidator } from '../catalogue/rail-collections.js'
import { type SupportTextDocument, supportTextValidator } from '../catalogue/support-texts.js'
import { type TermDocument, termValidator } from '../catalogue/term-documents.js'
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
import { changesOf, lateReportsOf, movesOf, nudgesOf, type OnChange, removerOf, tellerOf } from '../sync/index.js'
import { dismissalsOf } from '../viewing/dismissals.js'
import { hiddenOf } from '../viewing/hidden.js'
import { historyOf } from '../viewing/history.js'
import type { ViewerList } from '../viewing/lists.js'
import { marksOf } from '../viewing/marks.js'
import { playingOf } from '../viewing/playing.js'
import { playsOf } from '../viewing/plays.js'
import { preferencesOf } from '../viewing/preferences.js'
import { ratingsOf } from '../viewing/ratings.js'
import { reportsOf } from '../viewing/reports.js'
import { viewerLists } from '../viewing/viewer-lists.js'
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

interface Listeners {
  onSessionsEnded?: OnSessionsEnded
  /** Called after every write to the lists of viewers. The service passes that of its `Nudger`. */
  onChange?: OnChange
}

/** All queries of the service, bound to one database. */
export const dataOf = (db: Db, settings: DataSettings, { onSessionsEnded, onChange }: Listeners = {}) => {
  const tell = tellerOf(onChange)
  const completedAt = settings.COMPLETED_AT
  const writesOf = (name: ViewerList) => ({ tell, remover: removerOf(db, viewerLists[name], tell) })
  const historyWrites = writesOf('history')
  const late = lateReportsOf(db, { ...historyWrites, completedAt })
  return {
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
    terms: readerOf<TermDocument>(db, 'terms', termValidator, { _id: 1 }),
    people: peopleOf(db),
    railCollections: readerOf<RailCollectionDocument>(db, 'rail_collections', railCollectionValidator, { _id: 1 }),
    legalDocuments: readerOf<LegalDocument>(db, 'legal_documents', legalValidator, { _id: 1 }),
    programmes: programmesOf(db),
    supportTexts: readerOf<SupportTextDocument>(db, 'support_texts', supportTextValidator, { id: 1, language: 1 }),
    popularity: popularityOf(db),
    recommendationModels: recommendationModelsOf(db),
    leases: leasesOf(db),
    history: historyOf(db, { ...historyWrites, completedAt }),
    plays: playsOf(db),
    changes: changesOf(db),
    nudges: nudgesOf(db),
    reports: reportsOf(db, { late, tell, completedAt }),
    marks: marksOf(db, { late, tell, completedAt }),
    allHistories: allHistoriesOf(db),
    watchlist: watchlistOf(db, writesOf('watchlist')),
    dismissals: dismissalsOf(db),
    hidden: hiddenOf(db, writesOf('hidden')),
    ratings: ratingsOf(db, writesOf('ratings')),
    preferences: preferencesOf(db, writesOf('preferences')),
    seen: seenOf(db),
    playing: playingOf(db),
    moves: movesOf(db, tell),
    audit: auditOf(db, settings.AUDIT_DAYS)
  }
}
export type Data = ReturnType<typeof dataOf>
