import type { Db } from 'mongodb'
import { emailKey, type UserDocument } from '../../../src/data/users.js'
import { hashPassword } from '../../../src/identity/passwords.js'
import { generate, insert } from './insert.js'
import { ago } from './time.js'

export const password = 'the same one for every user'
export const emailOf = (user: number) => `viewer-${user}@example.com`

/** Creates users who can sign in. */
export const fillAccounts = async (db: Db, users: number) => {
  const password_hash = await hashPassword(password)
  const account = (id: number): UserDocument => ({
    _id: id,
    email: emailOf(id),
    email_key: emailKey(emailOf(id)),
    name: `Viewer ${id}`,
    password_hash,
    disabled_at: null,
    created_at: ago(0),
    updated_at: ago(0)
  })
  await insert(db, 'users', generate(users, account))
}
