import { type Serializer, type SerializerFactory, SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { Done } from '../../schemas/common.js'
import type { Meta, PageQuery } from '../../schemas/page.js'

export const jsonType = 'application/json; charset=utf-8'

/**
 * The values of `Cache-Control`. Public responses are revalidated before each use. `ageLimited` is for callers who may have an age limit.
 */
export const cacheControl = {
  error: 'no-store',
  personal: 'private, no-store',
  public: 'public, no-cache',
  ageLimited: 'private, no-cache'
}

/** Helmet's headers that make sense for JSON, with a stricter CSP. A test fails when helmet adds one (docs/decisions/028). */
export const securityHeaders = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN'
}

export const ok = <T>(data: T) => ({ success: true as const, data })

/** In the spec, the key has a trailing space (schemas/common.ts). */
export const done = (code: number, text: string): Done => ({ success: true, code, 'message ': text, message: text })

/** Beyond the end, `prev_page` is the last page with elements. */
export const pageMeta = ({ page, perPage }: PageQuery, total: number): Meta => {
  const total_pages = Math.ceil(total / perPage)
  return {
    page,
    per_page: perPage,
    next_page: page < total_pages && page + 1,
    prev_page: Math.min(page - 1, total_pages) || false,
    total_pages,
    total_count: total
  }
}

export const onPage = <T>(all: T[], { page, perPage }: PageQuery) => all.slice((page - 1) * perPage, page * perPage)

/**
 * Compiles a serializer when it is first used, because compiling all of them doubles the time to build an app. Most are never used: the
 * schemas of errors, and of responses that are sent as ready bytes, are only for the documentation.
 */
export const buildSerializer: SerializerFactory = (schemas, options) => {
  const compile = SerializerSelector()(schemas, options)
  return route => {
    let serialize: Serializer | undefined
    return answer => {
      serialize ??= compile(route)
      return serialize(answer)
    }
  }
}
