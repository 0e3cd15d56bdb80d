import * as argon2 from '@node-rs/argon2'
import * as bcrypt from '@node-rs/bcrypt'

const cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 }

/** The hash of no password, checked where there is no user, so that the answer takes its time all the same. */
const nobody = argon2.hashSync(crypto.randomUUID(), cost)

export const hashPassword = (password: string) => argon2.hash(password, cost)

/** How many times as long as the usual ones this hash takes: each step of bcrypt's cost beyond 12 doubles it. */
export const slowness = (hash: string) => Math.max(1, 2 ** (Number(/^\$2[abxy]\$(\d\d)\$/.exec(hash)?.[1] ?? 0) - 12))

const isBcrypt = (hash: string) => /^\$2[abxy]\$/.test(hash)

/** Whether the hash is of a kind that the old platform stored and a login should replace. */
export const isOutdated = (hash: string) => isBcrypt(hash)

export const verifyPassword = (password: string, hash = nobody) =>
  // PHP writes $2y$ for what everybody else calls $2b$.
  isBcrypt(hash) ? bcrypt.verify(password, hash.replace(/^\$2[xy]\$/, '$2b$')) : argon2.verify(hash, password)
