import { isDeepStrictEqual } from 'node:util'
import { type Db, type Document, type IndexDescription, MongoServerError } from 'mongodb'
import { contentIndexes } from '../catalogue/content-documents.js'
import { legalValidator } from '../catalogue/legal-documents.js'
import { personIndexes, personValidator } from '../catalogue/person-documents.js'
import { programmeValidator } from '../catalogue/programmes.js'
import { railCollectionValidator } from '../catalogue/rail-collections.js'
import { supportTextValidator } from '../catalogue/support-texts.js'
import { termIndexes, termValidator } from '../catalogue/term-documents.js'
import { loginAttemptIndexes } from '../identity/attempts.js'
import { deviceCodeIndexes } from '../identity/device-codes.js'
import { sessionValidator } from '../identity/session-document.js'
import { sessionIndexes } from '../identity/sessions.js'
import { userIndexes, userValidator } from '../identity/users.js'
import { auditIndexes } from '../privacy/audit.js'
import { erasureIndexes } from '../privacy/erasures.js'
import { seenIndexes, seenValidator } from '../recommendations/serving/seen.js'
import { nudgeIndexes, removalIndexes, removalValidator } from '../sync/index.js'
import { minutes } from '../time.js'
import { dismissalIndexes, dismissalValidator } from '../viewing/dismissals.js'
import { hiddenValidator } from '../viewing/hidden.js'
import { historyIndexes, historyValidator } from '../viewing/history.js'
import { listIndexes } from '../viewing/lists.js'
import { playingIndexes } from '../viewing/playing.js'
import { preferencesIndexes, preferencesValidator } from '../viewing/preferences.js'
import { ratingIndexes, ratingValidator } from '../viewing/ratings.js'
import { watchlistValidator } from '../viewing/watchlist.js'
import { outboxIndexes, outboxName } from '../webhooks/index.js'

/** The fields that hold a profile or an account. */
const owners = ['user_id', 'account_id'] as const

export const indexes: Record<string, IndexDescription[]> = {
  users: userIndexes,
  erasures: erasureIndexes,
  sessions: sessionIndexes,
  login_attempts: loginAttemptIndexes,
  device_codes: deviceCodeIndexes,
  contents: contentIndexes,
  terms: termIndexes,
  people: personIndexes,
  history: historyIndexes,
  watchlist: listIndexes,
  dismissals: dismissalIndexes,
  removals: removalIndexes,
  hidden: listIndexes,
  ratings: ratingIndexes,
  preferences: preferencesIndexes,
  seen: seenIndexes,
  playing: playingIndexes,
  nudges: nudgeIndexes,
  audit: auditIndexes,
  [outboxName]: outboxIndexes
}

/** The collections from which an erasure removes documents, with the indexed field to find them by. Users themselves are removed last. */
export const personalCollections = Object.entries(indexes).flatMap(([name, of]) => {
  const owner = owners.find(field => name !== 'users' && of.some(({ key }) => field in key))
  return owner ? [{ name, owner }] : []
})

/**
 * Validators for the collections that viewers are served from, so that what is read can be trusted. Not for `contents`, which other
 * software may write; the service checks these when it reads them.
 */
export const validators: Record<string, Document> = {
  users: userValidator,
  sessions: sessionValidator,
  terms: termValidator,
  people: personValidator,
  rail_collections: railCollectionValidator,
  legal_documents: legalValidator,
  support_texts: supportTextValidator,
  programmes: programmeValidator,
  history: historyValidator,
  watchlist: watchlistValidator,
  dismissals: dismissalValidator,
  removals: removalValidator,
  hidden: hiddenValidator,
  ratings: ratingValidator,
  preferences: preferencesValidator,
  seen: seenValidator
}

/** Ignores errors of this name. */
const unless = (name: string) => (error: unknown) => {
  if (!(error instanceof MongoServerError && error.codeName === name)) throw error
}

/** The collections that lack their validator, with the options that set it. */
const withoutValidator = async (db: Db) => {
  const found = await db.listCollections({ name: { $in: Object.keys(validators) } }, { nameOnly: false }).toArray()
  const stored = new Map(found.map(({ name, options }) => [name, options]))
  return Object.entries(validators).flatMap(([name, validator]) => {
    const options = { validator, validationLevel: 'strict', validationAction: 'error' }
    const known = stored.get(name)
    return isDeepStrictEqual(known, { ...known, ...options }) ? [] : [{ name, options, isMissing: known === undefined }]
  })
}

const ensureValidators = async (db: Db) => {
  const lacking = await withoutValidator(db)
  if (lacking.length === 0) return []
  const missing = lacking.filter(({ isMissing }) => isMissing)
  await Promise.all(missing.map(({ name, options }) => db.createCollection(name, options).catch(unless('NamespaceExists'))))
  // Only creating collections is part of the role `readWrite`.
  for (const { name, options } of await withoutValidator(db)) await db.command({ collMod: name, ...options }).catch(unless('Unauthorized'))
  return (await withoutValidator(db)).map(({ name }) => name)
}

/**
 * Creates missing indexes, and sets the validators. Several processes may do so at once. Returns the collections left without their
 * validator, because the database user may not change collections.
 */
export const ensureCollections = async (db: Db) => {
  const unguarded = await ensureValidators(db)
  for (const [collection, wanted] of Object.entries(indexes)) await db.collection(collection).createIndexes(wanted)
  return unguarded
}

/** How long counting in one collection may take. */
const longestCount = minutes(1)

/** How many documents of a collection do not fit its validator. */
export const countMisfits = async (db: Db, collection: string) => {
  const query = { $nor: [validators[collection]] }
  const { n } = await db.command({ count: collection, query, maxTimeMS: longestCount }, { readPreference: 'secondaryPreferred' })
  return n as number
}
