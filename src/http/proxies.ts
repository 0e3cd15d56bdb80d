import { isIP } from 'node:net'

const list = (text: string) => text.split(',').map(item => item.trim())

const names = ['loopback', 'linklocal', 'uniquelocal']

const isNetwork = (text: string) => {
  const [address = '', bits, ...rest] = text.split('/')
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address) as 0 | 4 | 6]
  return rest.length === 0 && most > 0 && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= most))
}

export const isProxyList = (setting: string) =>
  /^\d*$/.test(setting) || list(setting).every(item => names.includes(item) || isNetwork(item))

/** A number of hops, or networks; nothing trusts nobody. */
export const trustedProxies = (setting: string) => {
  if (setting === '') return false
  return /^\d+$/.test(setting) ? (_address: string, hop: number) => hop < Number(setting) : list(setting)
}
