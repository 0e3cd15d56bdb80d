import type { FastifyCorsOptions } from '@fastify/cors'
import type { Settings } from './config.js'

const list = (text: string) => text.split(',').map(item => item.trim())

/** A number of hops, or networks; nothing trusts nobody. */
export const trustedProxies = (setting: string) => {
  if (setting === '') return false
  return /^\d+$/.test(setting) ? (_address: string, hop: number) => hop < Number(setting) : list(setting)
}

export const corsOptions = (origins: string): FastifyCorsOptions => ({
  origin: origins === '*' ? '*' : list(origins),
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  allowedHeaders: ['Authorization', 'Content-Type', 'Format', 'If-None-Match'],
  exposedHeaders: ['ETag', 'Location', 'Retry-After', 'X-Request-Id'],
  maxAge: 3600,
  strictPreflight: false
})

interface Asked {
  protocol: string
  host: string
}

/** The origin under which callers reach the service: the public one, else the one that they asked. */
export const originOf = ({ protocol, host }: Asked, { PUBLIC_URL, PORT }: Settings) =>
  PUBLIC_URL || `${protocol}://${/^[\w.:[\]-]+$/.test(host) ? host : `localhost:${PORT}`}`

/** The request headers besides `Host` that the origin depends on. */
export const originHeaders = ({ PUBLIC_URL, TRUST_PROXY }: Settings) =>
  PUBLIC_URL || !TRUST_PROXY ? [] : ['X-Forwarded-Host', 'X-Forwarded-Proto']
