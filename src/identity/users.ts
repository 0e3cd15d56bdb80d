import type { Collection, Db, IndexDescription, UpdateFilter } from 'mongodb'
import type { User } from '../../schemas/identity.js'
import { count, date, id, optional, orNull, text, validatorOf } from '../database/bson-schema.js'
import { counterOf } from '../database/counters.js'
import { type Eventful, eventRule } from '../database/events.js'
import { withRetries } from '../database/retry.js'
import { revisionsOf } from '../database/revisions.js'
import { erasuresOf } from '../privacy/erasures.js'
import { type Account, accountFields, epochOf } from './session-document.js'

export interface UserDocument extends Account, Eventful {
  /** As the user typed it. Comparisons use `email_key`. */
  email?: string
  email_key?: string
  name: string
  password_hash?: string
  password_changed_at?: Date | null
  /** Issuer and subject of a user of an external identity provider. */
  iss?: string
  sub?: string
  /** When an earlier user of the same issuer and subject was erased. Older tokens are not this user's. */
  tokens_after?: Date
  /** Only in a profile that is not the first one of its account. `place` is one of the account's places for profiles. */
  account_id?: number
  place?: number
  /** The age limit: content for older viewers is not shown. */
  max_age?: number | null
  /** Until when tokens from before the last change of `max_age` may be in use. */
  old_limit_until?: Date
  pin_hash?: string
  disabled_at: Date | null
  created_at: Date
  updated_at: Date
}

export const userValidator = validatorOf<UserDocument>({
  ...accountFields,
  email: optional(text),
  email_key: optional(text),
  name: text,
  password_hash: optional(text),
  password_changed_at: optional(orNull(date)),
  iss: optional(text),
  sub: optional(text),
  tokens_after: optional(date),
  account_id: optional(id),
  place: optional(count),
  max_age: optional(orNull(count)),
  old_limit_until: optional(date),
  pin_hash: optional(text),
  disabled_at: orNull(date),
  created_at: date,
  updated_at: date,
  ...eventRule
})

export type HashField = 'password_hash' | 'pin_hash'
export type ProviderUser = Pick<UserDocument, '_id' | 'tokens_after'>

export const userIndexes: IndexDescription[] = [
  // Partial, because users of an external identity provider may have no e-mail.
  { key: { email_key: 1 }, unique: true, partialFilterExpression: { email_key: { $exists: true } } },
  { key: { sub: 1, iss: 1 }, unique: true, partialFilterExpression: { sub: { $exists: true } } },
  { key: { disabled_at: 1, _id: 1 }, partialFilterExpression: { disabled_at: { $gt: new Date(0) } } },
  { key: { account_id: 1, place: 1 }, unique: true, partialFilterExpression: { account_id: { $exists: true } } },
  { key: { old_limit_until: 1 }, partialFilterExpression: { old_limit_until: { $exists: true } } }
]

export const toUser = ({ _id, email = '', name = '', account_id }: UserDocument): User => ({
  id: _id,
  email,
  name,
  ...(account_id !== undefined && { account_id })
})

/** E-mails are case-insensitive. */
export const emailKey = (email: string) => email.normalize('NFC').toLowerCase()

const isEnabled = (user: UserDocument | null): user is UserDocument => user !== null && !user.disabled_at

const readsOf = (users: Collection<UserDocument>) => {
  const byId = (id: number) => users.findOne({ _id: id })
  return {
    byId,
    byEmail: (email: string) => users.findOne({ email_key: emailKey(email) }),
    /**
     * The account and profile of a session. Undefined if either is disabled or gone. Retried here rather than with the whole request, which
     * has already used its refresh token or code.
     */
    ofSession: async ({ account_id, user_id }: { account_id: number; user_id: number }) => {
      const profile = await withRetries(() => byId(user_id))
      const account = user_id === account_id ? profile : await withRetries(() => byId(account_id))
      return isEnabled(profile) && isEnabled(account) ? { profile, account } : undefined
    },
    all: () => users.find().sort({ _id: 1 })
  }
}

const passwordWritesOf = (users: Collection<UserDocument>) => ({
  /** Changes the password, and refuses all sessions but `kept` at their next use. False if it was changed since the user was read. */
  changePassword: async ({ _id, password_changed_at = null }: UserDocument, password_hash: string, kept_session: string) => {
    const now = new Date()
    const { matchedCount } = await withRetries(() =>
      users.updateOne(
        // A retry after a lost response finds the new hash.
        { _id, $or: [{ password_changed_at }, { password_hash }] },
        { $set: { password_hash, password_changed_at: now, updated_at: now, kept_session }, $inc: { session_epoch: 1 } }
      )
    )
    return matchedCount === 1
  },
  /** Whether the user is still enabled, and neither changed the password nor ended the sessions since the user was read. */
  maySignIn: async (user: UserDocument) => {
    const { password_changed_at = null } = user
    const current = await users.findOne({ _id: user._id, password_changed_at, disabled_at: null }, { projection: { session_epoch: 1 } })
    return current !== null && epochOf(current) === epochOf(user)
  },
  /** Upgrades an outdated hash, unless the password or PIN was changed meanwhile. */
  replaceHash: (id: number, field: HashField, old: string, hash: string) =>
    users.updateOne({ _id: id, [field]: old }, { $set: { [field]: hash } })
})

export const usersOf = (db: Db) => {
  const users = db.collection<UserDocument>('users')
  const ids = counterOf(db, 'users')
  const revisions = revisionsOf(db)
  const erasures = erasuresOf(db)
  /** `who` is an id or an e-mail. */
  const change = async (who: string | number, fields: Partial<UserDocument>, more: UpdateFilter<UserDocument> = {}) =>
    users.findOneAndUpdate(
      typeof who === 'number' ? { _id: who } : { email_key: emailKey(who) },
      { $set: { ...fields, updated_at: new Date() }, ...more },
      { returnDocument: 'after' }
    )
  /** Part of the write that requires it, because after a crash between two writes, a thief would stay signed in. */
  const refusingSessions: UpdateFilter<UserDocument> = { $inc: { session_epoch: 1 }, $unset: { kept_session: '' } }
  const changeDisabled = async (who: string | number, disabled_at: Date | null) => {
    const user = await change(who, { disabled_at }, disabled_at === null ? {} : refusingSessions)
    if (user) await revisions.raise('disabled_users')
    return user
  }

  return {
    ...readsOf(users),
    add: async ({ email, name, password_hash }: { email: string; name: string; password_hash: string }) => {
      const now = new Date()
      const user = {
        _id: await ids.next(),
        email,
        email_key: emailKey(email),
        name,
        password_hash,
        disabled_at: null,
        created_at: now,
        updated_at: now
      }
      await users.insertOne(user)
      return user
    },
    /** Concurrent first uses create only one user. Undefined for a user who was erased after `issuedAt`, the time of the token. */
    ofProvider: (iss: string, sub: string, issuedAt: Date): Promise<ProviderUser | undefined> =>
      withRetries(async () => {
        const known = await users.findOne<ProviderUser>({ sub, iss }, { projection: { tokens_after: 1 } })
        if (known) return known
        // Read after looking for the user, because an erasure is recorded before its user is removed.
        const tokens_after = await erasures.lastOf(iss, sub)
        if (tokens_after && issuedAt <= tokens_after) return undefined
        const now = new Date()
        const user = {
          _id: await ids.next(),
          name: '',
          iss,
          sub,
          disabled_at: null,
          created_at: now,
          updated_at: now,
          ...(tokens_after && { tokens_after })
        }
        await users.insertOne(user)
        return user
      }),
    setPassword: (email: string, password_hash: string) =>
      change(email, { password_hash, password_changed_at: new Date() }, refusingSessions),
    ...passwordWritesOf(users),
    disable: (who: string | number) => changeDisabled(who, new Date()),
    enable: (who: string | number) => changeDisabled(who, null),
    remove: (id: number) => withRetries(() => users.deleteOne({ _id: id })),
    disabled: async () => {
      const ids = new Set<number>()
      for await (const { _id } of users.find({ disabled_at: { $gt: new Date(0) } }, { projection: { _id: 1 } })) ids.add(_id)
      return ids
    }
  }
}
