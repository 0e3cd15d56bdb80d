import { compactVerify } from 'jose'
import { Cache } from '../cache.js'
import { ErrorAnswer } from '../errors.js'
import { seconds } from '../time.js'
import type { ProviderKeys } from './provider-keys.js'
import { areValid, type CheckToken, type CommonClaims, hasNoExtensions, ProviderClaims, tokenCache } from './tokens.js'
import type { ProviderUser } from './users.js'

interface Options {
  iss: string
  aud: string
  keys: ProviderKeys
  /** The user with the provider's `sub`. Undefined if the user was erased since the token was issued. */
  userOf: (iss: string, sub: string, issuedAt: Date) => Promise<ProviderUser | undefined>
  isErased: (id: number) => boolean
}

/** Enough for about 80,000 users. */
const userCacheBytes = 16 * 1024 * 1024
const utf8 = new TextDecoder('utf-8', { fatal: true })

export const providerTokens = ({ iss, aud, keys, userOf, isErased }: Options): CheckToken => {
  const checked = tokenCache<{ claims: CommonClaims; id: number | undefined; edition: number }>()
  const users = new Cache<string, ProviderUser>(userCacheBytes, () => 0)

  const areCurrent = (claims: CommonClaims) => areValid(claims, { iss, aud }, Date.now() / 1000)

  /** The claims of a token that the provider has signed. */
  const claimsOf = async (token: string) => {
    try {
      const { payload, protectedHeader } = await compactVerify(token, keys.keyFor, { algorithms: keys.algorithms })
      const claims: unknown = JSON.parse(utf8.decode(payload))
      if (!hasNoExtensions(protectedHeader) || !ProviderClaims.Check(claims)) return undefined
      // MongoDB replaces lone surrogates, so two different `sub` could become one user.
      return claims.sub.isWellFormed() ? claims : undefined
    } catch (error) {
      if (error instanceof ErrorAnswer) throw error
      return undefined
    }
  }

  const idOf = async (sub: string, iat: number) => {
    const issuedAt = new Date(seconds(iat))
    const known = users.get(sub)
    // An erased user may sign in again as a new one.
    const user = known && !isErased(known._id) ? known : await userOf(iss, sub, issuedAt)
    if (!user) return undefined
    users.set(sub, user)
    return user.tokens_after && issuedAt <= user.tokens_after ? undefined : user._id
  }

  const viewerFrom = async (text: string) => {
    const { edition } = keys
    const claims = await claimsOf(text)
    if (!claims || !areCurrent(claims)) return null
    // Other claims are never read, so they need not take memory.
    const { aud, iat, exp, nbf = iat, sub } = claims
    const id = await idOf(sub, iat)
    checked.set(text, { claims: { iss, aud, iat, exp, nbf }, id, edition })
    return id === undefined ? null : { id, account: id, expiresAt: exp }
  }

  return text => {
    const known = checked.get(text)
    // After a refresh, the key of the token may have been withdrawn.
    if (!known || known.edition !== keys.edition) return viewerFrom(text)
    const { id, claims } = known
    if (id === undefined) return null
    if (isErased(id)) return viewerFrom(text)
    return areCurrent(claims) ? { id, account: id, expiresAt: claims.exp } : null
  }
}
