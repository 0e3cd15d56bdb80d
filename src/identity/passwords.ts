import * as argon2 from '@node-rs/argon2'
import * as bcrypt from '@node-rs/bcrypt'

/** The memory is in KiB. */
const cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 }

/** Checked if there is no such user, so that the answer takes as long as for a wrong password. */
const dummyHash = argon2.hashSync(crypto.randomUUID(), cost)

export const hashPassword = (password: string) => argon2.hash(password, cost)

const bcryptPrefix = /^\$2[abxy]\$(\d\d)\$/

const hasBcryptPrefix = (hash: string) => bcryptPrefix.test(hash)

/** Roughly how many milliseconds it takes to check a password against a hash. */
export const costOf = (hash = dummyHash) => {
  const [, exponent] = bcryptPrefix.exec(hash) ?? []
  if (exponent) return 75 * 2 ** (Number(exponent) - 10)
  const [, memory, passes] = /\$m=(\d+),t=(\d+)/.exec(hash) as RegExpExecArray
  return (15 * Number(memory) * Number(passes)) / (cost.memoryCost * cost.timeCost)
}

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
