import { type Static, type TProperties, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Cache } from '../cache.js'
import { integerId } from '../http/requests.js'

export interface Viewer {
  /** The profile. */
  id: number
  /** The id of the first profile, to which sessions and the password belong. */
  account: number
  /** The session. Tokens of an identity provider have none. */
  sid?: string
  /** When the token was issued, in seconds since 1970. Missing with an identity provider. */
  issuedAt?: number
  /** When the token expires, in seconds since 1970. */
  expiresAt?: number | undefined
  /** The age limit, if any. */
  maxAge?: number
  /** Whether the age limit may have changed since it was read, because the database does not respond. Responses are then private. */
  isOutdated?: boolean
}

/** Returns the user that a token belongs to, or null if the token is not valid. */
export type CheckToken = (token: string) => Viewer | null | Promise<Viewer | null>

/** Enough for about ten thousand viewers. */
const tokenCacheBytes = 12 * 1024 * 1024
/** Bytes of a decoded token, without strings that share the memory of the token. */
const size = 400

/** A cache of checked tokens. Players send the same token for an hour, and its signature is checked only once. */
export const tokenCache = <Checked extends object>() => new Cache<string, Checked>(tokenCacheBytes, () => size)

const common = {
  iss: Type.String(),
  aud: Type.Union([Type.String(), Type.Array(Type.String())]),
  iat: Type.Number(),
  exp: Type.Number(),
  nbf: Type.Optional(Type.Number())
}
const CommonClaims = Type.Object(common)
export type CommonClaims = Static<typeof CommonClaims>

const claimsWith = <T extends TProperties>(claims: T) => TypeCompiler.Compile(Type.Object({ ...common, ...claims }))

const OwnClaims = claimsWith({
  sub: Type.String(),
  sid: Type.String({ minLength: 1 }),
  /** The account, if it is not `sub`. */
  acc: Type.Optional(Type.String()),
  max_age: Type.Optional(Type.Integer({ minimum: 0 }))
})
export const ProviderClaims = claimsWith({ sub: Type.String({ minLength: 1 }) })

export type Claims = CommonClaims & { sub: string; sid: string; acc?: string; max_age?: number }

/** Whether the header of a token has no `crit`, which lists extensions that a reader must understand. */
export const hasNoExtensions = (header: { crit?: unknown }) => header.crit === undefined

/** Allowed clock skew in seconds. It does not apply to `exp`. */
const leeway = 5

/** Whether the issuer and the audience are the expected ones, and the token is valid now. */
export const areValid = ({ iss, aud, iat, exp, nbf = iat }: CommonClaims, expected: { iss: string; aud: string }, now: number) =>
  iss === expected.iss && [aud].flat().includes(expected.aud) && now < exp && Math.max(iat, nbf) <= now + leeway

interface Decoded {
  header: object
  payload: object
}

interface Options {
  iss: string
  aud: string
  /** How long a token is accepted, in seconds, even if it was issued when tokens lived longer. */
  life: number
  /** Decodes the token. Throws if this service did not sign it. */
  checkSignature: (token: string) => Decoded
}

export const ownTokens = ({ iss, aud, life, checkSignature }: Options): CheckToken => {
  const checked = tokenCache<Decoded>()

  const decoded = (token: string) => {
    const known = checked.get(token)
    if (known) return known
    const { header, payload } = checkSignature(token)
    checked.set(token, { header, payload })
    return { header, payload }
  }

  return text => {
    try {
      const { header, payload } = decoded(text)
      if (!hasNoExtensions(header) || !OwnClaims.Check(payload) || !areValid(payload, { iss, aud }, Date.now() / 1000)) return null
      const { sub, sid, iat, exp, max_age, acc = sub } = payload
      // Earlier than `exp` if the setting has been reduced since.
      const expiresAt = Math.min(exp, iat + life)
      if (expiresAt <= Date.now() / 1000) return null
      const [id, account] = [integerId(sub), integerId(acc)]
      if (id === undefined || account === undefined) return null
      return { id, account, sid, issuedAt: iat, expiresAt, ...(max_age !== undefined && { maxAge: max_age }) }
    } catch {
      return null
    }
  }
}
