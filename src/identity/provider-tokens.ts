import { compactVerify } from 'jose'
import { Cache } from '../cache.js'
import { ErrorAnswer } from '../errors.js'
import { areValid, ProviderToken } from './claims.js'
import type { ProviderKeys } from './provider-keys.js'
import { type Tokens, tokenCache } from './tokens.js'

interface Options {
  iss: string
  aud: string
  keys: ProviderKeys
  /** The id of the user that the provider calls `sub`. */
  userOf: (iss: string, sub: string) => Promise<number>
}

/** Enough for about 80,000 users. */
const userCacheBytes = 16 * 1024 * 1024
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Checks the tokens of the identity provider. */
export const providerTokens = ({ iss, aud, keys, userOf }: Options): Tokens => {
  const checked = tokenCache<{ header: object; payload: object; id: number; edition: number }>()
  const users = new Cache<string, number>(userCacheBytes, () => 0)

  const claimsOf = (token: unknown) => {
    if (!ProviderToken.Check(token) || !areValid(token.payload, { iss, aud }, Date.now() / 1000)) return undefined
    // MongoDB replaces lone surrogates, so two different `sub` could become one user.
    return token.payload.sub.isWellFormed() ? token.payload : undefined
  }

  const checkSignature = async (token: string) => {
    try {
      const { payload, protectedHeader } = await compactVerify(token, keys.keyFor, { algorithms: keys.algorithms })
      return { header: protectedHeader, payload: JSON.parse(utf8.decode(payload)) as unknown }
    } catch (error) {
      if (error instanceof ErrorAnswer) throw error
      return undefined
    }
  }

  const viewerFrom = async (text: string) => {
    const { edition } = keys
    const token = await checkSignature(text)
    const claims = claimsOf(token)
    if (!claims) return null
    const id = users.get(claims.sub) ?? (await userOf(iss, claims.sub))
    users.put(claims.sub, id)
    // Other claims are never read, so they need not take memory.
    const { aud, iat, exp, nbf, sub } = claims
    checked.put(text, { header: {}, payload: { iss, aud, iat, exp, nbf, sub }, id, edition })
    return { id }
  }

  return {
    viewerOf: text => {
      const known = checked.get(text)
      // After a refresh, the key of the token may have been withdrawn.
      if (!known || known.edition !== keys.edition) return viewerFrom(text)
      return claimsOf(known) ? { id: known.id } : null
    }
  }
}
