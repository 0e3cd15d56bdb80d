import type { Settings } from '../config.js'

interface RequestOrigin {
  protocol: string
  host: string
}

/** A host name has at most 253 characters, a port five. */
const longestHost = 260

/** The origin for links in answers: `PUBLIC_URL`, else the origin of the request if it is valid. */
export const originsOf = ({ PUBLIC_URL, PORT }: Settings) => {
  // Nearly all requests have the same origin, and parsing it costs more than the rest of an answer.
  let last = { requested: '', origin: '' }

  return ({ protocol, host }: RequestOrigin) => {
    if (PUBLIC_URL) return PUBLIC_URL
    const scheme = protocol === 'https' ? 'https' : 'http'
    const requested = `${scheme}://${host}`
    if (requested !== last.requested) {
      const isOrigin = host.length <= longestHost && /^[\w.:[\]-]+$/.test(host) && URL.canParse(requested)
      last = { requested, origin: isOrigin ? requested : `${scheme}://localhost:${PORT}` }
    }
    return last.origin
  }
}

/** The request headers, besides `Host`, that the origin depends on. */
export const originHeaders = ({ PUBLIC_URL, TRUST_PROXY }: Settings) =>
  PUBLIC_URL || !TRUST_PROXY ? [] : ['X-Forwarded-Host', 'X-Forwarded-Proto']
