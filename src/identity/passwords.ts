import * as argon2 from '@node-rs/argon2'
import * as bcrypt from '@node-rs/bcrypt'
import { ownCost } from './password-hash.js'

/** Checked if there is no such user, so that the answer takes as long as for a wrong password. */
const dummyHash = argon2.hashSync(crypto.randomUUID(), ownCost)

export const hashPassword = (password: string) => argon2.hash(password, ownCost)

const hasBcryptPrefix = (hash: string) => /^\$2[abxy]\$\d\d\$/.test(hash)

/** bcrypt ignores the bytes after these. */
const bcryptBytes = 72

/**
 * Whether a hash of the old platform may be replaced by a new hash of the password that has just matched it. Not if bcrypt
 * compares only a part of the password: it ignores bytes after the 72nd, and takes `a\0a` for `a`. A typo there would be stored.
 */
export const isReplaceable = (hash: string, password: string) =>
  hasBcryptPrefix(hash) && Buffer.byteLength(password) <= bcryptBytes && !password.includes('\0')

export const verifyPassword = (password: string, hash = dummyHash) =>
  // PHP writes $2y$ where everyone else writes $2b$.
  hasBcryptPrefix(hash) ? bcrypt.verify(password, hash.replace(/^\$2[xy]\$/, '$2b$')) : argon2.verify(hash, password)
