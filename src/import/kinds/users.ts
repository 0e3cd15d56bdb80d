import type { Collection } from 'mongodb'
import type { UserRecord } from '../../../schemas/import.js'
import { ProfileAddition } from '../../../schemas/profile.js'
import { imported } from '../../database/events.js'
import { isPasswordHash } from '../../identity/passwords.js'
import { oldLimitUntil, profilesPerAccount } from '../../identity/profile-documents.js'
import { emailKey, type UserDocument } from '../../identity/users.js'
import { erasuresOf } from '../../privacy/erasures.js'
import { Table, textKey } from '../../table.js'
import { momentOf } from '../../time.js'
import { inputAjv, rule } from '../../validators.js'
import { type Entry, type ImportRun, idsFor, type Kind, type Operation, type ReportFault, uniqueKeys } from '../kind.js'
import { ProfilePlaces, Profiles } from './profiles.js'

type Issuer = ImportRun['issuer']
type ProfileRecord = UserRecord & { account_id: number }

export const users = (run: ImportRun): Kind<UserRecord> => {
  const { db, ids, issuer } = run
  const claimId = uniqueKeys(ids.users.given, 'id')
  const claimEmail = uniqueKeys(new Table(2, 1), 'email')
  const claimSub = uniqueKeys(new Table(2, 1), 'sub')
  const collection = db.collection<UserDocument>('users')
  const erasures = erasuresOf(db)
  const profiles = new Profiles(db, ids.users.given)
  let places = new ProfilePlaces(db)
  let highest = 0

  const storedUsers = async (records: UserRecord[]) => {
    const found = await collection.find({ _id: { $in: records.map(({ id }) => id) } }).toArray()
    return new Map(found.map(user => [user._id, user]))
  }

  const checkRoom = async (entries: Entry<UserRecord>[], report: ReportFault) => {
    const found = await places.take(entries.map(({ record }) => record).filter(isProfile))
    for (const { record, place } of entries) {
      if (isProfile(record) && !found.has(record.id)) report(place, 'account_id', tooMany(record))
    }
  }

  return {
    collection: 'users',
    revision: 'limits',

    async check(entries, report) {
      const records = entries.map(({ record }) => record)
      const { byEmail, bySub } = await holdersOf(collection, entries, issuer)
      const stored = await storedUsers(records)
      const erased = await erasures.among(records.map(({ id }) => id))
      for (const entry of entries) {
        const { record, place } = entry
        const { id, email, sub } = record
        highest = Math.max(highest, id)
        claimId([id], place, report)
        if (erased.has(id)) report(place, 'id', `user ${id} was erased`)
        checkFields(entry, stored.get(id), issuer, report)
        profiles.add({ ...record, max_age: limitOf(record, stored.get(id)) }, place)
        const checkHolder = (field: string, holder = id) => holder !== id && report(place, field, `is already used by user ${holder}`)
        if (isGiven(email)) {
          claimEmail(textKey(emailKey(email)), place, report)
          checkHolder('email', byEmail.get(emailKey(email)))
        }
        if (isGiven(sub)) {
          claimSub(textKey(sub), place, report)
          checkHolder('sub', bySub.get(sub))
        }
      }
      await checkRoom(entries, report)
    },

    checkAll: report => profiles.check(report),

    begin: async () => {
      // The places found by the check may be taken by now, so they are assigned again.
      places = new ProfilePlaces(db)
      if (highest > 0) await idsFor(run, 'users').moveTo(highest)
    },

    async operations(records) {
      const stored = await storedUsers(records)
      const profiles = records.filter(isProfile)
      const found = await places.take(profiles)
      const placeless = profiles.find(({ id }) => !found.has(id))
      if (placeless) throw new Error(`Profiles were added during the import: ${tooMany(placeless)}`)
      const operations = records.map(record => operationsFor(run, record, stored.get(record.id), found.get(record.id)))
      return (await Promise.all(operations)).flat()
    }
  }
}

const requiredWithoutSub = ['email', 'name'] as const
const ofAccounts = ['email', 'sub', 'password_hash'] as const
const hashes = ['password_hash', 'pin_hash'] as const
const profileName = ProfileAddition.properties.name

const checkAccount = ({ record, place }: Entry<UserRecord>, issuer: string | undefined, report: ReportFault) => {
  if (record.sub === undefined) {
    for (const field of requiredWithoutSub) if (record[field] === undefined) report(place, field, 'is required for a user without sub')
  } else if (!issuer) report(place, 'sub', 'needs the setting JWT_ISSUER')
}

const checkProfile = ({ record, place }: Entry<UserRecord>, report: ReportFault) => {
  for (const field of ofAccounts) if (record[field] !== undefined) report(place, field, 'belongs to the account, not to a profile')
  if (record.name === undefined) report(place, 'name', 'is required for a profile')
  else if (!inputAjv.validate(profileName, record.name)) report(place, 'name', `must be ${rule(profileName)}`)
}

/** Checks the fields of a user against each other and against the stored user. */
const checkFields = (entry: Entry<UserRecord>, stored: UserDocument | undefined, issuer: string | undefined, report: ReportFault) => {
  const { record, place } = entry
  if (record.account_id === undefined) checkAccount(entry, issuer, report)
  else checkProfile(entry, report)
  for (const field of hashes) {
    if (record[field] !== undefined && !isPasswordHash(record[field]))
      report(place, field, 'must be an argon2 or bcrypt hash that is not too expensive to check')
  }
  if (stored && stored.account_id !== record.account_id) {
    const kind = stored.account_id === undefined ? 'an account' : `a profile of account ${stored.account_id}`
    report(place, 'account_id', `cannot change: user ${record.id} is ${kind}`)
  }
}

const identityFields = ['email', 'email_key', 'name', 'iss', 'sub'] as const
type Identity = Partial<Pick<UserDocument, (typeof identityFields)[number]>>

const isGiven = <T>(value: T | undefined): value is T => value !== undefined
const isProfile = (record: UserRecord): record is ProfileRecord => record.account_id !== undefined

const tooMany = ({ account_id }: ProfileRecord) => `account ${account_id} would have more than ${profilesPerAccount} profiles`

const identityOf = ({ email, name = '', sub }: UserRecord, issuer: Issuer): Identity => ({
  ...(isGiven(email) && { email, email_key: emailKey(email) }),
  ...(isGiven(sub) && isGiven(issuer) && { sub, iss: issuer }),
  name
})

/** A household may have set the limit, so a record without one does not change it. */
const limitOf = ({ max_age }: UserRecord, stored: UserDocument | undefined) => (max_age === undefined ? (stored?.max_age ?? null) : max_age)

const operationsFor = async (
  { db, issuer }: ImportRun,
  record: UserRecord,
  stored: UserDocument | undefined,
  place: number | undefined
): Promise<Operation[]> => {
  const identity = identityOf(record, issuer)
  const created_at = momentOf(record.created_at)
  const max_age = limitOf(record, stored)
  const hasOldLimit = max_age === (stored?.max_age ?? null)
  const isUnchanged = stored && hasOldLimit && identityFields.every(field => stored[field] === identity[field])
  if (isUnchanged && (!created_at || created_at.getTime() === stored.created_at.getTime())) return []

  const now = new Date()
  const $set = {
    ...identity,
    ...(!hasOldLimit && { max_age }),
    ...(stored && !hasOldLimit && { old_limit_until: await oldLimitUntil(db, stored.account_id ?? record.id) }),
    updated_at: momentOf(record.updated_at) ?? now,
    ...(created_at && { created_at })
  }
  const $unset = Object.fromEntries(identityFields.filter(field => identity[field] === undefined).map(field => [field, '']))
  const $setOnInsert = {
    disabled_at: null,
    event: imported,
    ...(!created_at && { created_at: now }),
    // An existing user may have changed the password or the PIN since the file was written.
    ...(record.password_hash && { password_hash: record.password_hash }),
    ...(record.pin_hash && { pin_hash: record.pin_hash }),
    ...(isProfile(record) && { account_id: record.account_id, place })
  }
  return [{ updateOne: { filter: { _id: record.id }, update: { $set, $unset, $setOnInsert }, upsert: !stored } }]
}

/** The ids of stored users, by the e-mails and subs of the entries. */
const holdersOf = async (collection: Collection<UserDocument>, entries: Entry<UserRecord>[], issuer: Issuer) => {
  const keys = entries
    .map(({ record }) => record.email)
    .filter(isGiven)
    .map(emailKey)
  const subs = issuer ? entries.map(({ record }) => record.sub).filter(isGiven) : []
  const byEmail = new Map<string, number>()
  const bySub = new Map<string, number>()
  const options = { projection: { email_key: 1, sub: 1 } }
  for await (const { _id, email_key = '' } of collection.find({ email_key: { $in: keys } }, options)) byEmail.set(email_key, _id)
  if (issuer) for await (const { _id, sub = '' } of collection.find({ sub: { $in: subs }, iss: issuer }, options)) bySub.set(sub, _id)
  return { byEmail, bySub }
}
