import type { UserRecord } from '../../../schemas/import.js'
import { counterOf } from '../../data/counters.js'
import { emailKey, type UserDocument } from '../../data/users.js'
import { isPasswordHash } from '../../identity/password-hash.js'
import { unique } from '../checking/unique.js'
import type { Entry, Kind, Operation, Report, Run } from '../kind.js'
import { momentOf } from '../reading/given.js'
import { Table, textKey } from '../reading/table.js'
import { patience } from '../writing/patience.js'

const identityFields = ['email', 'email_key', 'name', 'iss', 'sub'] as const
type Identity = Partial<Pick<UserDocument, (typeof identityFields)[number]>>

const needed = ['email', 'name', 'password_hash'] as const

const given = <T>(value: T | undefined): value is T => value !== undefined

export const users = ({ db, ids, issuer }: Run): Kind<UserRecord> => {
  const isNewId = unique(ids.users.given, 'id')
  const isNewEmail = unique(new Table(2, 1), 'email')
  const isNewSub = unique(new Table(2, 1), 'sub')
  const collection = db.collection<UserDocument>('users')
  let highest = 0

  const identityOf = ({ email, name = '', sub }: UserRecord): Identity => ({
    ...(given(email) && { email, email_key: emailKey(email) }),
    ...(given(sub) && given(issuer) && { sub, iss: issuer }),
    name
  })

  const checkFields = ({ record, place }: Entry<UserRecord>, report: Report) => {
    const { sub, password_hash } = record
    if (sub === undefined) {
      for (const field of needed) if (record[field] === undefined) report(place, field, 'is required of a user without sub')
    } else if (!issuer) report(place, 'sub', 'needs the setting JWT_ISSUER, whose users these are')
    if (given(password_hash) && !isPasswordHash(password_hash)) report(place, 'password_hash', 'must be an argon2 or bcrypt hash')
  }

  /** Who has the e-mails and the subs of the entries in the database. */
  const holders = async (entries: Entry<UserRecord>[]) => {
    const keys = entries
      .map(({ record }) => record.email)
      .filter(given)
      .map(emailKey)
    const subs = issuer ? entries.map(({ record }) => record.sub).filter(given) : []
    const byEmail = new Map<string, number>()
    const bySub = new Map<string, number>()
    const options = { ...patience, projection: { email_key: 1, sub: 1 } }
    for await (const { _id, email_key = '' } of collection.find({ email_key: { $in: keys } }, options)) byEmail.set(email_key, _id)
    if (issuer) for await (const { _id, sub = '' } of collection.find({ sub: { $in: subs }, iss: issuer }, options)) bySub.set(sub, _id)
    return { byEmail, bySub }
  }

  const operation = (record: UserRecord, stored: UserDocument | undefined): Operation[] => {
    const identity = identityOf(record)
    const created_at = momentOf(record.created_at)
    const unchanged = stored && identityFields.every(field => stored[field] === identity[field])
    if (unchanged && (!created_at || created_at.getTime() === stored.created_at.getTime())) return []

    const now = new Date()
    const $set = { ...identity, updated_at: momentOf(record.updated_at) ?? now, ...(created_at && { created_at }) }
    const $unset = Object.fromEntries(identityFields.filter(field => identity[field] === undefined).map(field => [field, '']))
    const $setOnInsert = {
      disabled_at: null,
      ...(!created_at && { created_at: now }),
      // Of a user who exists it may have been changed since the file was written.
      ...(record.password_hash && { password_hash: record.password_hash })
    }
    return [{ updateOne: { filter: { _id: record.id }, update: { $set, $unset, $setOnInsert }, upsert: true } }]
  }

  return {
    collection: 'users',

    async check(entries, report) {
      const { byEmail, bySub } = await holders(entries)
      for (const entry of entries) {
        const { record, place } = entry
        const { id, email, sub } = record
        highest = Math.max(highest, id)
        isNewId([id], place, report)
        checkFields(entry, report)
        if (given(email)) {
          isNewEmail(textKey(emailKey(email)), place, report)
          const holder = byEmail.get(emailKey(email)) ?? id
          if (holder !== id) report(place, 'email', `is that of user ${holder}`)
        }
        if (given(sub)) {
          isNewSub(textKey(sub), place, report)
          const holder = bySub.get(sub) ?? id
          if (holder !== id) report(place, 'sub', `is that of user ${holder}`)
        }
      }
    },

    begin: async () => highest > 0 && counterOf(db, 'users').moveTo(highest),

    async operations(records) {
      const found = await collection.find({ _id: { $in: records.map(({ id }) => id) } }, patience).toArray()
      const stored = new Map(found.map(user => [user._id, user]))
      return records.flatMap(record => operation(record, stored.get(record.id)))
    }
  }
}
