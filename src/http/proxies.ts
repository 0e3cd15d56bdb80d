import { isIP } from 'node:net'
import { itemsOf } from './lists.js'

const names = ['loopback', 'linklocal', 'uniquelocal']

const isNetwork = (text: string) => {
  const [address = '', bits, ...rest] = text.split('/')
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address) as 0 | 4 | 6]
  return rest.length === 0 && most > 0 && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= most))
}

export const isProxyList = (setting: string) =>
  /^\d*$/.test(setting) || itemsOf(setting).every(item => names.includes(item) || isNetwork(item))

/** Fastify's `trustProxy` for a number of hops or a list of networks. An empty setting trusts nobody. */
export const trustedProxies = (setting: string) => {
  if (setting === '') return false
  return /^\d+$/.test(setting) ? (_address: string, hop: number) => hop < Number(setting) : itemsOf(setting)
}
