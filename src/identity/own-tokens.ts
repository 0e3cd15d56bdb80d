import { integerId } from '../http/ids.js'
import { areValid, hasNoExtensions, OwnClaims } from './claims.js'
import { type Tokens, tokenCache } from './tokens.js'

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

/** Checks the tokens of this service's own login. */
export const ownTokens = ({ iss, aud, life, checkSignature }: Options): Tokens => {
  const checked = tokenCache<Decoded>()

  const decoded = (token: string) => {
    const known = checked.get(token)
    if (known) return known
    const { header, payload } = checkSignature(token)
    checked.put(token, { header, payload })
    return { header, payload }
  }

  return {
    viewerOf: text => {
      try {
        const { header, payload } = decoded(text)
        if (!hasNoExtensions(header) || !OwnClaims.Check(payload) || !areValid(payload, { iss, aud }, Date.now() / 1000)) return null
        const { sub, sid, iat, max_age, acc = sub } = payload
        if (iat + life <= Date.now() / 1000) return null
        const [id, account] = [integerId(sub), integerId(acc)]
        if (id === undefined || account === undefined) return null
        return { id, account, sid, issuedAt: iat, ...(max_age !== undefined && { maxAge: max_age }) }
      } catch {
        return null
      }
    }
  }
}
