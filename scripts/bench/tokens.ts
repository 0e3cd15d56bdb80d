import { createHmac } from 'node:crypto'

export const secret = 'a secret of the benchmark that is long enough'

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The access token of a user, as a login gives it. */
export const tokenOf = (user: number) => {
  const now = Math.floor(Date.now() / 1000)
  const claims = { sub: String(user), sid: crypto.randomUUID(), iss: 'viewer', aud: 'viewer', iat: now, exp: now + 24 * 3600 }
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}
