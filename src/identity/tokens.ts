import { Cache } from '../cache.js'

export interface Viewer {
  /** The profile. */
  id: number
  /** The id of the first profile, to which sessions and the password belong. */
  account: number
  /** The session. Tokens of an identity provider have none. */
  sid?: string
  /** When the token was issued, in seconds since 1970. Missing with an identity provider. */
  issuedAt?: number
  /** The age up to which contents are shown. Undefined without a limit. */
  maxAge?: number
  /** Whether the age limit could not be looked up again. It may have changed, so that no answer is public. */
  isOutdated?: boolean
}

export interface Tokens {
  /** The user that a token belongs to; null if the token is not valid. */
  viewerOf: (token: string) => Viewer | null | Promise<Viewer | null>
}

/** Enough for about ten thousand viewers. */
const tokenCacheBytes = 12 * 1024 * 1024
/** Bytes that the decoded token takes, besides strings that share the memory of the token. */
const size = 400

/** A cache of checked tokens. Players send the same one for an hour, and its signature is checked only once. */
export const tokenCache = <Checked>() => new Cache<string, Checked>(tokenCacheBytes, () => size)
