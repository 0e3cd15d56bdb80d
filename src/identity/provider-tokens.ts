import { compactVerify } from 'jose'
import { Failure } from '../errors.js'
import { Kept } from '../kept.js'
import { hold, ProviderToken } from './claims.js'
import type { ProviderKeys } from './provider-keys.js'
import { keptTokens, type Tokens } from './tokens.js'

interface Options {
  iss: string
  aud: string
  keys: ProviderKeys
  /** The id of the user whom the provider calls `sub`. */
  userOf: (iss: string, sub: string) => Promise<number>
}

/** In bytes; some 80,000 users. */
const usersKept = 16 * 1024 * 1024
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The tokens of an identity provider of the deployment's own. */
export const providerTokens = ({ iss, aud, keys, userOf }: Options): Tokens => {
  const checked = keptTokens<{ header: object; payload: object; id: number; edition: number }>()
  const users = new Kept<string, number>(usersKept, () => 0)

  const claimsOf = (token: unknown) => {
    if (!ProviderToken.Check(token) || !hold(token.payload, { iss, aud }, Date.now() / 1000)) return undefined
    // The database keeps no halves of characters: whom they alone set apart would be one user.
    return token.payload.sub.isWellFormed() ? token.payload : undefined
  }

  const signed = async (token: string) => {
    try {
      const { payload, protectedHeader } = await compactVerify(token, keys.keyFor, { algorithms: keys.algorithms })
      return { header: protectedHeader, payload: JSON.parse(utf8.decode(payload)) as unknown }
    } catch (error) {
      if (error instanceof Failure) throw error
      return undefined
    }
  }

  const firstSeen = async (text: string) => {
    const { edition } = keys
    const token = await signed(text)
    const claims = claimsOf(token)
    if (!claims) return null
    const id = users.get(claims.sub) ?? (await userOf(iss, claims.sub))
    users.put(claims.sub, id)
    // Of what the provider says beyond these, nothing is ever read.
    const { aud, iat, exp, nbf, sub } = claims
    checked.put(text, { header: {}, payload: { iss, aud, iat, exp, nbf, sub }, id, edition })
    return { id }
  }

  return {
    viewerOf: text => {
      const known = checked.get(text)
      // A key may have been withdrawn since.
      if (!known || known.edition !== keys.edition) return firstSeen(text)
      return claimsOf(known) ? { id: known.id } : null
    }
  }
}
