import { createHmac } from 'node:crypto'

export const secret = 'a secret of the benchmark that is long enough'

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const signed = (user: number, max_age: number | undefined) => {
  const now = Math.floor(Date.now() / 1000)
  const claims = { sub: String(user), sid: crypto.randomUUID(), iss: 'viewer', aud: 'viewer', iat: now, exp: now + 24 * 3600, max_age }
  const content = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
}

const tokens = new Map<string, string>()

/** The access token of a user, or of a profile with a limit. Every request uses the same one, as players do. */
export const tokenOf = (user: number, maxAge?: number) => {
  const key = `${user} ${maxAge}`
  const token = tokens.get(key) ?? signed(user, maxAge)
  tokens.set(key, token)
  return token
}

/** The headers of a user's request. The service reads the user from the token; the references trust a header. */
export const as = (user: number, maxAge?: number) => ({ authorization: `Bearer ${tokenOf(user, maxAge)}`, user: String(user) })
