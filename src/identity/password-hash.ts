/** A more expensive hash would delay all logins. */
const mostExpensive = { bcryptCost: 16, memoryKiB: 1024 * 1024, passes: 64, lanes: 64 }

const argon2 =
  /^\$argon2(?:id|i|d)(?:\$v=(?:16|19))?\$m=([1-9]\d{0,9}),t=([1-9]\d{0,9}),p=([1-9]\d{0,9})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

const isUsableArgon2 = (hash: string) => {
  const [, memory, passes, lanes, salt = '', output = ''] = argon2.exec(hash) ?? []
  if (!memory || Number(memory) > mostExpensive.memoryKiB || Number(memory) < 8 * Number(lanes)) return false
  if (Number(passes) > mostExpensive.passes || Number(lanes) > mostExpensive.lanes) return false
  return isBase64(salt, 8, 48) && isBase64(output, 10, 64)
}

/** Accepts only the canonical form, unpadded and without leftover bits, since the argon2 library refuses any other. */
const isBase64 = (text: string, least: number, most: number) => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length >= least && bytes.length <= most && bytes.toString('base64').replace(/=+$/, '') === text
}

const bcrypt = /^\$2[abxy]\$(\d\d)\$[./A-Za-z0-9]{53}$/

const isUsableBcrypt = (hash: string) => {
  const cost = Number(bcrypt.exec(hash)?.[1])
  return cost >= 4 && cost <= mostExpensive.bcryptCost
}

/** Whether it is a hash that passwords can be checked against. */
export const isPasswordHash = (hash: unknown): hash is string =>
  typeof hash === 'string' && (hash.startsWith('$argon2') ? isUsableArgon2(hash) : isUsableBcrypt(hash))
