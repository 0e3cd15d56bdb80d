import { isIP } from 'node:net'
import type { FastifyCorsOptions } from '@fastify/cors'
import type { Settings } from './config.js'

const list = (text: string) => text.split(',').map(item => item.trim())

export const isDecodable = (url: string) => {
  if (!url.includes('%')) return true
  try {
    decodeURIComponent(url)
    return true
  } catch {
    return false
  }
}

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

export const corsOptions = (origins: string): FastifyCorsOptions => ({
  origin: origins === '*' ? '*' : list(origins),
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  allowedHeaders: ['Authorization', 'Content-Type', 'Format', 'If-None-Match'],
  exposedHeaders: ['Date', 'ETag', 'Location', 'Retry-After', 'X-Request-Id'],
  maxAge: 3600,
  strictPreflight: false
})

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
