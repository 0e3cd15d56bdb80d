import { isIP, isIPv4 } from 'node:net'

/** The address in an entry of `X-Forwarded-For`, without brackets and port; undefined if it has none. */
const addressIn = (entry: string) => {
  if (isIP(entry)) return entry
  const [, bracketed, dotted] = /^(?:\[(.+)\]|([\d.]+))(?::\d{1,5})?$/.exec(entry) ?? []
  const address = bracketed ?? dotted ?? ''
  return isIP(address) ? address : undefined
}

/** More proxies than any deployment has. Entries further left were made up by the caller. */
const longestChain = 100

/** Strips the ports, because networks are compared with bare addresses. Keeps invalid entries, because hops are counted. */
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

/**
 * The key under which limits count a caller: the IPv4 address, or the /64 network of an IPv6 address, since one host has all
 * addresses of a /64. All invalid addresses share one key, so that nobody escapes a limit by making up names.
 */
export const callerOf = (entry = '') => {
  if (isIPv4(entry)) return entry
  const address = addressIn(entry)
  if (address === undefined || isIPv4(address)) return address ?? ''
  const groups = groupsOf(address)
  const network = groups.slice(0, 4).map(group => group.toString(16))
  return mappedIn(groups) ?? `${network.join(':')}::/64`
}
