import * as argon2 from '@node-rs/argon2'
import * as bcrypt from '@node-rs/bcrypt'

const cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 }

/** The hash of no password, checked where there is no user, so that the answer takes its time all the same. */
const nobody = argon2.hashSync(crypto.randomUUID(), cost)

export const hashPassword = (password: string) => argon2.hash(password, cost)

const bcryptCost = /^\$2[abxy]\$(\d\d)\$/

const isBcrypt = (hash: string) => bcryptCost.test(hash)

/** Roughly the milliseconds for which a core checks a password against a hash. */
export const costOf = (hash = nobody) => {
  const [, rounds] = bcryptCost.exec(hash) ?? []
  if (rounds) return 75 * 2 ** (Number(rounds) - 10)
  const [, memory, passes] = /\$m=(\d+),t=(\d+)/.exec(hash) as RegExpExecArray
  return (15 * Number(memory) * Number(passes)) / (cost.memoryCost * cost.timeCost)
}

/** bcrypt reads no further. */
const bcryptBytes = 72

/**
 * Whether a hash that the old platform stored may give way to a new one of the password that it was found right for. Not where
 * bcrypt read only a part of it: behind its first 72 bytes anything goes, and it takes `a\0a` for `a`.
 */
export const isReplaceable = (hash: string, password: string) =>
  isBcrypt(hash) && Buffer.byteLength(password) <= bcryptBytes && !password.includes('\0')

export const verifyPassword = (password: string, hash = nobody) =>
  // PHP writes $2y$ for what everybody else calls $2b$.
  isBcrypt(hash) ? bcrypt.verify(password, hash.replace(/^\$2[xy]\$/, '$2b$')) : argon2.verify(hash, password)
