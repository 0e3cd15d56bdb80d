import { isIP, isIPv4 } from 'node:net'

/** The address in an entry of `X-Forwarded-For`, which may carry brackets and a port; undefined where there is none. */
const addressIn = (entry: string) => {
  if (isIP(entry)) return entry
  const [, bracketed, dotted] = /^(?:\[(.+)\]|([\d.]+))(?::\d{1,5})?$/.exec(entry) ?? []
  const address = bracketed ?? dotted ?? ''
  return isIP(address) ? address : undefined
}

/** More proxies than stand in a row; the entries before them are the caller's own and count for nothing. */
const longestChain = 100

/** An `X-Forwarded-For` as trust in networks needs it: addresses without ports. What is no address stays, since hops are counted. */
export const withoutPorts = (chain: string) =>
  chain
    .split(',')
    .slice(-longestChain)
    .map(entry => addressIn(entry.trim()) ?? entry)
    .join()

/** `203.0.113.9` at the end of an IPv6 address, as two of its groups. */
const asGroups = (dotted: string) => {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

/** The eight groups of an IPv6 address, whose zone is no part of it. */
const groupsOf = (address: string) => {
  const [bare = ''] = address.split('%', 1)
  const hexadecimal = bare.includes('.') ? bare.replace(/[\d.]+$/, asGroups) : bare
  const [head = [], tail = []] = hexadecimal.split('::').map(half => (half ? half.split(':') : []))
  const zeros = Array<string>(8 - head.length - tail.length).fill('0')
  return [...head, ...zeros, ...tail].map(group => Number.parseInt(group, 16))
}

/** The IPv4 address that an IPv6 one stands for. */
const mappedIn = ([a, b, c, d, e, marker, high = 0, low = 0]: number[]) =>
  marker === 0xffff && !(a || b || c || d || e) ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : undefined

/**
 * Who counts as one caller: an IPv4 address, or the /64 network of an IPv6 one, since a home or a host has all addresses of it.
 * Whatever is no address counts as one caller too: a name that callers could make up would give each of them a limit of their own.
 */
export const callerOf = (entry = '') => {
  if (isIPv4(entry)) return entry
  const address = addressIn(entry)
  if (address === undefined || isIPv4(address)) return address ?? ''
  const groups = groupsOf(address)
  const network = groups.slice(0, 4).map(group => group.toString(16))
  return mappedIn(groups) ?? `${network.join(':')}::/64`
}
