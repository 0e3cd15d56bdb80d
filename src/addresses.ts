/**
 * Who counts as one caller: an IPv4 address, or the /64 network of an IPv6 one, since a home or a host has all addresses of it.
 * Those who have hung up have none any more, and count as one.
 */
export const callerOf = (address = '') => {
  if (!address.includes(':')) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return mapped
  const [head = [], tail = []] = address.split('::').map(groups => groups.split(':'))
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
  const network = groups.slice(0, 4).map(group => Number.parseInt(group || '0', 16).toString(16))
  return `${network.join(':')}::/64`
}
