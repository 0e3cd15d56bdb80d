import type { FastifyCorsOptions } from '@fastify/cors'

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
