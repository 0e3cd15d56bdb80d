import * as argon2 from '@node-rs/argon2'
import * as bcrypt from '@node-rs/bcrypt'

/** The cost of our own hashes. The memory is in KiB. */
const ownCost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 }

/** `milliseconds` as in `costOf`. A hash that takes longer to check could not be refused in the same time as others. */
const mostExpensive = { milliseconds: 1500, memoryKiB: 1024 * 1024, lanes: 64 }

const argon2Form =
  /^\$argon2(?:id|i|d)(?:\$v=(?:16|19))?\$m=([1-9]\d{0,9}),t=([1-9]\d{0,9}),p=([1-9]\d{0,9})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

const isUsableArgon2 = (hash: string) => {
  const [, memory, , lanes, salt = '', output = ''] = argon2Form.exec(hash) ?? []
  if (!memory || Number(memory) > mostExpensive.memoryKiB || Number(memory) < 8 * Number(lanes)) return false
  return Number(lanes) <= mostExpensive.lanes && isBase64(salt, 8, 48) && isBase64(output, 10, 64)
}

/** Accepts only the canonical form, unpadded and without leftover bits, because the argon2 library accepts no other. */
const isBase64 = (text: string, least: number, most: number) => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length >= least && bytes.length <= most && bytes.toString('base64').replace(/=+$/, '') === text
}

const bcryptForm = /^\$2[abxy]\$(\d\d)\$[./A-Za-z0-9]{53}$/

const isUsableBcrypt = (hash: string) => Number(bcryptForm.exec(hash)?.[1]) >= 4

/** Roughly how many milliseconds it takes to check a password against a hash. */
export const costOf = (hash: string) => {
  const [, exponent] = bcryptForm.exec(hash) ?? []
  if (exponent) return 75 * 2 ** (Number(exponent) - 10)
  const [, memory, passes] = argon2Form.exec(hash) as RegExpExecArray
  return (15 * Number(memory) * Number(passes)) / (ownCost.memoryCost * ownCost.timeCost)
}

/** Whether it is a hash that passwords can be checked against. */
export const isPasswordHash = (hash: unknown): hash is string =>
  typeof hash === 'string' &&
  (hash.startsWith('$argon2') ? isUsableArgon2(hash) : isUsableBcrypt(hash)) &&
  costOf(hash) <= mostExpensive.milliseconds

/** Checked if there is no such user, so that the response takes as long as for a wrong password. */
const dummyHash = argon2.hashSync(crypto.randomUUID(), ownCost)

export const hashPassword = (password: string) => argon2.hash(password, ownCost)

const hasBcryptPrefix = (hash: string) => /^\$2[abxy]\$\d\d\$/.test(hash)

/** bcrypt ignores the bytes after these. */
const bcryptBytes = 72

/** Whether to replace a hash that matched. bcrypt ignores bytes after the 72nd, and treats `a\0a` as `a`, so a typo could be stored. */
export const isReplaceable = (hash: string, password: string) =>
  hasBcryptPrefix(hash) && Buffer.byteLength(password) <= bcryptBytes && !password.includes('\0')

export const verifyPassword = (password: string, hash = dummyHash) =>
  // PHP writes $2y$ where everyone else writes $2b$.
  hasBcryptPrefix(hash) ? bcrypt.verify(password, hash.replace(/^\$2[xy]\$/, '$2b$')) : argon2.verify(hash, password)
