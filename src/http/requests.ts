import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest, preValidationHookHandler } from 'fastify'

/** In bytes. */
export const bodyLimit = 64 * 1024

/** Removing the dashes makes one flat string. A UUID from Node consists of twenty pieces, which a waiting request would keep in memory. */
export const requestId = () => randomUUID().replaceAll('-', '')

export const isDecodable = (url: string) => {
  if (!url.includes('%')) return true
  try {
    decodeURIComponent(url)
    return true
  } catch {
    return false
  }
}

/**
 * Fastify would reject an undecodable URL before any hook runs, so its path is replaced by one that no route has.
 * plugins/unknown-routes.ts finds the original in `originalUrl` and rejects it.
 */
export const routableUrl = ({ url = '' }: IncomingMessage) => (isDecodable(url) ? url : '/undecodable')

/** A child logger per request would cost more than most responses. Log lines carry the request id as a field instead. */
export const sharedLogger = <Logger>(logger: Logger) => logger

/** Parses the id in a path. Returns undefined for anything else, because a malformed id returns 404, not 400. */
export const integerId = (text: string): number | undefined => {
  if (!/^[1-9]\d{0,15}$/.test(text)) return undefined
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : undefined
}

/** Splits a comma-separated list and trims its items. Ignores items after the first `most`. */
export const itemsOf = (text: string, most?: number) => text.split(',', most).map(item => item.trim())

/** Reads the country of a caller from the configured header. */
export const countryFrom = (name: string) => {
  const header = name.toLowerCase()
  return ({ headers }: Pick<FastifyRequest, 'headers'>) => {
    const country = header && String(headers[header] ?? '').toUpperCase()
    // CDNs send XX for an unknown country.
    return /^[A-Z]{2}$/.test(country) && country !== 'XX' ? country : undefined
  }
}

/** For bodies whose fields are all optional: a missing body counts as empty. */
export const optionalBody: preValidationHookHandler = (request, _reply, done) => {
  if (request.body === undefined) request.body = {}
  done()
}

export const hasContentId = (body: unknown) => typeof body === 'object' && body !== null && Object.hasOwn(body, 'content_id')

/** The spec has a message of its own for a missing `content_id`, so this runs before the validation of the body. */
export const refuseMissingContentId = (missing: () => Error) => async (request: { body: unknown }) => {
  if (!hasContentId(request.body)) throw missing()
}
