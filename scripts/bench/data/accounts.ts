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

/** The id of the n-th profile of an account besides the first one. Profiles come after all accounts. */
export const profileOf = (account: number, n: number, accounts: number, ofEach: number) => accounts + (account - 1) * ofEach + n

export const fillProfiles = async (db: Db, accounts: number, ofEach: number) => {
  const profile = (n: number): UserDocument => {
    const account_id = 1 + Math.floor((n - 1) / ofEach)
    const place = 1 + ((n - 1) % ofEach)
    return {
      _id: profileOf(account_id, place, accounts, ofEach),
      account_id,
      place,
      name: `Profile ${place}`,
      max_age: place === ofEach ? 6 : null,
      disabled_at: null,
      created_at: ago(0),
      updated_at: ago(0)
    }
  }
  await insert(db, 'users', generate(accounts * ofEach, profile))
}
