import { createHmac } from 'node:crypto'

export const secret = 'a secret of the benchmark that is long enough'

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const signed = (user: number) => {
  const now = Math.floor(Date.now() / 1000)
  const claims = { sub: String(user), sid: crypto.randomUUID(), iss: 'viewer', aud: 'viewer', iat: now, exp: now + 24 * 3600 }
  const content = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
}

const tokens = new Map<number, string>()

/** The access token of a user. Every request uses the same one, as players do. */
export const tokenOf = (user: number) => {
  const token = tokens.get(user) ?? signed(user)
  tokens.set(user, token)
  return token
}
