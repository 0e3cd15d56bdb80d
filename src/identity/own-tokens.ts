import { integerId } from '../http/ids.js'
import { hold, OwnToken } from './claims.js'
import { keptTokens, type Tokens } from './tokens.js'

interface Options {
  iss: string
  aud: string
  /** Gives the header and the claims of a token that is signed by this service, and throws otherwise. */
  verify: (token: string) => { header: object; payload: object }
}

/** The tokens of this service's own login. */
export const ownTokens = ({ iss, aud, verify }: Options): Tokens => {
  const checked = keptTokens()

  const signed = (token: string) => {
    const known = checked.get(token)
    if (known) return known
    const { header, payload } = verify(token)
    checked.put(token, { header, payload })
    return { header, payload }
  }

  return {
    viewerOf: text => {
      try {
        const token = signed(text)
        if (!OwnToken.Check(token) || !hold(token.payload, { iss, aud }, Date.now() / 1000)) return null
        const id = integerId(token.payload.sub)
        return id === undefined ? null : { id, sid: token.payload.sid }
      } catch {
        return null
      }
    }
  }
}
