import { ADDRCONFIG, type LookupAddress } from 'node:dns'
import dns from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { seconds } from '../time.js'

const nat64Bytes = 12

/** The IPv4 address that an IPv6 address stands for, if any. */
const meantBy = (address: string) => {
  const parsed = ipaddr.process(address)
  return parsed.range() === 'rfc6052' ? ipaddr.fromByteArray(parsed.toByteArray().slice(nat64Bytes)) : parsed
}

/** Other IPv6 addresses, such as those that only contain an IPv4 address, are never those of a host on the internet. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** Whether the address is public. Private, loopback, link-local, shared, unspecified and reserved addresses are not. */
export const isPublic = (address: string) => {
  const meant = meantBy(address)
  return meant.range() === 'unicast' && (meant instanceof ipaddr.IPv4 || meant.match(globalUnicast))
}

/** The host of a URL as an address or a name. */
const hostOf = ({ hostname }: URL) => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')

const isLocalName = (host: string) => host === 'localhost' || host.endsWith('.localhost')
const loopback: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 }
]

/** Why a URL may not be used for an endpoint. Undefined if it may. */
export const faultOf = (text: string, { isInsecure, isPrivate }: { isInsecure: boolean; isPrivate: boolean }) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['https:', 'http:'].includes(url.protocol)) return `${text} is not an https URL`
  if (url.protocol === 'http:' && !isInsecure) return 'The URL must begin with https, unless --insecure is given'
  if (url.username || url.password) return 'The URL must not have a user name or a password'
  const host = hostOf(url)
  const isOwnNetwork = isLocalName(host) || (isIP(host) !== 0 && !isPublic(host))
  return isOwnNetwork && !isPrivate ? `${host} is a private address, which needs --private` : undefined
}

/** Whether the name servers do not know the name, or there are none. */
const isAbsent = (error: NodeJS.ErrnoException) => ['ENOTFOUND', 'ENODATA', 'ECONNREFUSED'].includes(error.code as string)

/**
 * Queries the name servers rather than the operating system, because its few threads would all wait for one unresponsive name server. The
 * system is asked only for names that the name servers do not know, for example those in /etc/hosts.
 */
const resolved = async (host: string): Promise<LookupAddress[]> => {
  const found = await Promise.allSettled([dns.resolve4(host), dns.resolve6(host)])
  const addresses = found
    .flatMap(result => (result.status === 'fulfilled' ? result.value : []))
    .map(address => ({ address, family: isIP(address) }))
  if (addresses.length > 0) return addresses
  const failure = found.find(result => result.status === 'rejected' && !isAbsent(result.reason))
  if (failure) throw (failure as PromiseRejectedResult).reason
  return dns.lookup(host, { all: true, hints: ADDRCONFIG })
}

/** Recent lookups, so that hundreds of attempts a second query only once. */
const lately = new LRUCache<string, Promise<LookupAddress[]>>({ max: 100, ttl: seconds(1) })

const addressesOf = async (host: string): Promise<LookupAddress[]> => {
  const family = isIP(host)
  if (family !== 0) return [{ address: host, family }]
  if (isLocalName(host)) return loopback
  const known = lately.get(host) ?? resolved(host)
  if (!lately.has(host)) lately.set(host, known)
  return known
}

/** The addresses to connect to, after checking all of them. */
export const checkedAddresses = async (url: URL, isPrivate: boolean) => {
  const host = hostOf(url)
  const addresses = await addressesOf(host)
  const refused = isPrivate ? undefined : addresses.find(({ address }) => !isPublic(address))
  if (refused) throw new Error(`${host} has the private address ${refused.address}`)
  return addresses
}
