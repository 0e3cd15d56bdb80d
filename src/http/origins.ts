import type { Settings } from '../config.js'

interface Asked {
  protocol: string
  host: string
}

/** A name has at most 253 characters, a port five. */
const longestHost = 260

/** The origin under which callers reach the service: the public one, else the one that they asked, as far as it is one. */
export const originsOf = ({ PUBLIC_URL, PORT }: Settings) => {
  // Nearly all callers ask the same one, and taking an address apart costs more than the rest of an answer.
  let last = { asked: '', origin: '' }

  return ({ protocol, host }: Asked) => {
    if (PUBLIC_URL) return PUBLIC_URL
    const scheme = protocol === 'https' ? 'https' : 'http'
    const asked = `${scheme}://${host}`
    if (asked !== last.asked) {
      const isOrigin = host.length <= longestHost && /^[\w.:[\]-]+$/.test(host) && URL.canParse(asked)
      last = { asked, origin: isOrigin ? asked : `${scheme}://localhost:${PORT}` }
    }
    return last.origin
  }
}

/** The request headers besides `Host` that the origin depends on. */
export const originHeaders = ({ PUBLIC_URL, TRUST_PROXY }: Settings) =>
  PUBLIC_URL || !TRUST_PROXY ? [] : ['X-Forwarded-Host', 'X-Forwarded-Proto']
