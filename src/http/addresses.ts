import { isIP, isIPv4 } from 'node:net'
import { itemsOf } from './requests.js'

/** The address in an entry of `X-Forwarded-For`, without brackets and port; undefined if it has none. */
const addressIn = (entry: string) => {
  if (isIP(entry)) return entry
  const [, bracketed, dotted] = /^(?:\[(.+)\]|([\d.]+))(?::\d{1,5})?$/.exec(entry) ?? []
  const address = bracketed ?? dotted ?? ''
  return isIP(address) ? address : undefined
}

/** More proxies than any deployment has. Entries further left were made up by the caller. */
const longestChain = 100

/** Strips the ports, because networks are matched against bare addresses. Keeps invalid entries, because hops are counted. */
export const withoutPorts = (chain: string) =>
  chain
    .split(',')
    .slice(-longestChain)
    .map(entry => addressIn(entry.trim()) ?? entry)
    .join()

/** Writes the dotted end of an IPv6 address (`203.0.113.9`) as two groups. */
const asGroups = (dotted: string) => {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

/** The eight groups of an IPv6 address, without its zone. */
const groupsOf = (address: string) => {
  const [bare = ''] = address.split('%', 1)
  const hexadecimal = bare.includes('.') ? bare.replace(/[\d.]+$/, asGroups) : bare
  const [head = [], tail = []] = hexadecimal.split('::').map(half => (half ? half.split(':') : []))
  const zeros = Array<string>(8 - head.length - tail.length).fill('0')
  return [...head, ...zeros, ...tail].map(group => Number.parseInt(group, 16))
}

/** The IPv4 address in an IPv4-mapped IPv6 address. */
const mappedIn = ([a, b, c, d, e, marker, high = 0, low = 0]: number[]) =>
  marker === 0xffff && !(a || b || c || d || e) ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : undefined

/** The IPv4 address, the /64 of an IPv6 address, because a host has all of it, or one key for all invalid addresses. */
export const callerOf = (entry = '') => {
  if (isIPv4(entry)) return entry
  const address = addressIn(entry)
  if (address === undefined || isIPv4(address)) return address ?? ''
  const groups = groupsOf(address)
  const network = groups.slice(0, 4).map(group => group.toString(16))
  return mappedIn(groups) ?? `${network.join(':')}::/64`
}

/** The names of networks that proxy-addr knows. */
const networkNames = ['loopback', 'linklocal', 'uniquelocal']

const isNetwork = (text: string) => {
  const [address = '', bits, ...rest] = text.split('/')
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address) as 0 | 4 | 6]
  return rest.length === 0 && most > 0 && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= most))
}

export const isProxyList = (setting: string) =>
  /^\d*$/.test(setting) || itemsOf(setting).every(item => networkNames.includes(item) || isNetwork(item))

/** Fastify's `trustProxy` for a number of hops or a list of networks. An empty setting trusts nobody. */
export const trustedProxies = (setting: string) => {
  if (setting === '') return false
  return /^\d+$/.test(setting) ? (_address: string, hop: number) => hop < Number(setting) : itemsOf(setting)
}

interface RequestOrigin {
  protocol: string
  host: string
}

/** A host name has at most 253 characters, a port five. */
const longestHost = 260

/** The origin for links in responses: `PUBLIC_URL`, or else the origin of the request if it is valid. */
export const originsOf = ({ PUBLIC_URL, PORT }: { PUBLIC_URL: string; PORT: number }) => {
  // Nearly all requests have the same origin, and parsing it costs more than the rest of a response.
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
export const originHeaders = ({ PUBLIC_URL, TRUST_PROXY }: { PUBLIC_URL: string; TRUST_PROXY: string }) =>
  PUBLIC_URL || !TRUST_PROXY ? [] : ['X-Forwarded-Host', 'X-Forwarded-Proto']
