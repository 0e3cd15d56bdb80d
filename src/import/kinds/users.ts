import type { UserRecord } from '../../../schemas/import.js'
import { counterOf } from '../../data/counters.js'
import { erasuresOf } from '../../data/erasures.js'
import { emailKey, type UserDocument } from '../../data/users.js'
import { isPasswordHash } from '../../identity/password-hash.js'
import { claimsOf } from '../checking/claims.js'
import type { Entry, Kind, Operation, Report, Run } from '../kind.js'
import { momentOf } from '../reading/moments.js'
import { Table, textKey } from '../table.js'
import { operationTimeout } from '../timeouts.js'

type Issuer = Run['issuer']

const identityFields = ['email', 'email_key', 'name', 'iss', 'sub'] as const
type Identity = Partial<Pick<UserDocument, (typeof identityFields)[number]>>

const requiredWithoutSub = ['email', 'name'] as const

const isGiven = <T>(value: T | undefined): value is T => value !== undefined

const checkFields = ({ record, place }: Entry<UserRecord>, issuer: Issuer, report: Report) => {
  const { sub, password_hash } = record
  if (sub === undefined) {
    for (const field of requiredWithoutSub) if (record[field] === undefined) report(place, field, 'is required for a user without sub')
  } else if (!issuer) report(place, 'sub', 'needs the setting JWT_ISSUER')
  if (isGiven(password_hash) && !isPasswordHash(password_hash)) report(place, 'password_hash', 'must be an argon2 or bcrypt hash')
}

const identityOf = ({ email, name = '', sub }: UserRecord, issuer: Issuer): Identity => ({
  ...(isGiven(email) && { email, email_key: emailKey(email) }),
  ...(isGiven(sub) && isGiven(issuer) && { sub, iss: issuer }),
  name
})

const operationsFor = (record: UserRecord, issuer: Issuer, stored: UserDocument | undefined): Operation[] => {
  const identity = identityOf(record, issuer)
  const created_at = momentOf(record.created_at)
  const isUnchanged = stored && identityFields.every(field => stored[field] === identity[field])
  if (isUnchanged && (!created_at || created_at.getTime() === stored.created_at.getTime())) return []

  const now = new Date()
  const $set = { ...identity, updated_at: momentOf(record.updated_at) ?? now, ...(created_at && { created_at }) }
  const $unset = Object.fromEntries(identityFields.filter(field => identity[field] === undefined).map(field => [field, '']))
  const $setOnInsert = {
    disabled_at: null,
    ...(!created_at && { created_at: now }),
    // An existing user may have changed the password since the file was written.
    ...(record.password_hash && { password_hash: record.password_hash })
  }
  return [{ updateOne: { filter: { _id: record.id }, update: { $set, $unset, $setOnInsert }, upsert: true } }]
}

export const users = ({ db, ids, issuer }: Run): Kind<UserRecord> => {
  const claimId = claimsOf(ids.users.given, 'id')
  const claimEmail = claimsOf(new Table(2, 1), 'email')
  const claimSub = claimsOf(new Table(2, 1), 'sub')
  const collection = db.collection<UserDocument>('users')
  const erasures = erasuresOf(db)
  let highest = 0

  /** The ids of stored users by the e-mails and subs of the entries. */
  const holders = async (entries: Entry<UserRecord>[]) => {
    const keys = entries
      .map(({ record }) => record.email)
      .filter(isGiven)
      .map(emailKey)
    const subs = issuer ? entries.map(({ record }) => record.sub).filter(isGiven) : []
    const byEmail = new Map<string, number>()
    const bySub = new Map<string, number>()
    const options = { ...operationTimeout, projection: { email_key: 1, sub: 1 } }
    for await (const { _id, email_key = '' } of collection.find({ email_key: { $in: keys } }, options)) byEmail.set(email_key, _id)
    if (issuer) for await (const { _id, sub = '' } of collection.find({ sub: { $in: subs }, iss: issuer }, options)) bySub.set(sub, _id)
    return { byEmail, bySub }
  }

  return {
    collection: 'users',

    async check(entries, report) {
      const { byEmail, bySub } = await holders(entries)
      const erased = await erasures.among(entries.map(({ record }) => record.id))
      for (const entry of entries) {
        const { record, place } = entry
        const { id, email, sub } = record
        highest = Math.max(highest, id)
        claimId([id], place, report)
        if (erased.has(id)) report(place, 'id', `user ${id} was erased`)
        checkFields(entry, issuer, report)
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
    },

    begin: async () => highest > 0 && counterOf(db, 'users').moveTo(highest),

    async operations(records) {
      const found = await collection.find({ _id: { $in: records.map(({ id }) => id) } }, operationTimeout).toArray()
      const stored = new Map(found.map(user => [user._id, user]))
      return records.flatMap(record => operationsFor(record, issuer, stored.get(record.id)))
    }
  }
}
