import type { Db, IndexDescription } from 'mongodb'
import { counterOf } from './counters.js'
import { persist } from './driver/retry.js'
import { revisionsOf } from './revisions.js'

export interface UserDocument {
  _id: number
  /** As it was given; `email_key` is what is compared. */
  email?: string
  email_key?: string
  name: string
  password_hash?: string
  /** Who the user is at an identity provider of the deployment's own. */
  iss?: string
  sub?: string
  disabled_at: Date | null
  created_at: Date
  updated_at: Date
}

export const userIndexes: IndexDescription[] = [
  // Partial, since users of an own identity provider may lack an e-mail.
  { key: { email_key: 1 }, unique: true, partialFilterExpression: { email_key: { $exists: true } } },
  { key: { sub: 1, iss: 1 }, unique: true, partialFilterExpression: { sub: { $exists: true } } },
  { key: { disabled_at: 1, _id: 1 }, partialFilterExpression: { disabled_at: { $gt: new Date(0) } } }
]

/** E-mails compare without regard to case. */
export const emailKey = (email: string) => email.normalize('NFC').toLowerCase()

export const usersOf = (db: Db) => {
  const users = db.collection<UserDocument>('users')
  const ids = counterOf(db, 'users')
  const revisions = revisionsOf(db)
  /** Changes the user of an e-mail or an id. */
  const change = async (who: string | number, fields: Partial<UserDocument>) =>
    users.findOneAndUpdate(
      typeof who === 'number' ? { _id: who } : { email_key: emailKey(who) },
      { $set: { ...fields, updated_at: new Date() } },
      { returnDocument: 'after' }
    )
  const changeDisabled = async (who: string | number, disabled_at: Date | null) => {
    const user = await change(who, { disabled_at })
    if (user) await revisions.raise('disabled_users')
    return user
  }

  return {
    byId: (id: number) => users.findOne({ _id: id }),
    byEmail: (email: string) => users.findOne({ email_key: emailKey(email) }),
    all: () => users.find().sort({ _id: 1 }),
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
    /** Whom an identity provider calls `sub`: its first use makes a user, two first uses at once make one. */
    ofProvider: (iss: string, sub: string) =>
      persist(async () => {
        const known = await users.findOne({ sub, iss }, { projection: { _id: 1 } })
        if (known) return known._id
        const now = new Date()
        const user = { _id: await ids.next(), name: '', iss, sub, disabled_at: null, created_at: now, updated_at: now }
        await users.insertOne(user)
        return user._id
      }),
    setPassword: (email: string, password_hash: string) => change(email, { password_hash }),
    /** A hash of an older kind gives way to the new one, unless the password was changed meanwhile. */
    replaceHash: (id: number, old: string, password_hash: string) =>
      users.updateOne({ _id: id, password_hash: old }, { $set: { password_hash } }),
    disable: (who: string | number) => changeDisabled(who, new Date()),
    enable: (who: string | number) => changeDisabled(who, null),
    /** The ids of all who are disabled. */
    disabled: async () => {
      const ids = new Set<number>()
      for await (const { _id } of users.find({ disabled_at: { $gt: new Date(0) } }, { projection: { _id: 1 } })) ids.add(_id)
      return ids
    }
  }
}
