import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest, preValidationHookHandler } from 'fastify'

/** In bytes. */
export const bodyLimit = 64 * 1024

/** Without dashes, it is one flat string: a UUID from Node consists of twenty pieces, which a waiting request keeps in memory. */
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
 * Fastify would refuse an undecodable URL before any hook runs. So its path is replaced by one that no route has.
 * plugins/unknown-routes.ts finds the original in `originalUrl` and refuses it.
 */
export const routableUrl = ({ url = '' }: IncomingMessage) => (isDecodable(url) ? url : '/undecodable')

/** A child logger per request would cost more than most answers. Log lines carry the request id as a field instead. */
export const sharedLogger = <Logger>(logger: Logger) => logger

/** Parses the id in a path. Returns undefined for anything else, because a malformed id is a 404, not a 400. */
export const integerId = (text: string): number | undefined => {
  if (!/^[1-9]\d{0,15}$/.test(text)) return undefined
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : undefined
}

/** Splits a comma-separated list and trims its items. Ignores all after the first `most`. */
export const itemsOf = (text: string, most?: number) => text.split(',', most).map(item => item.trim())

/** Reads the country of a caller from the header that the operator has named. */
export const countryFrom = (name: string) => {
  const header = name.toLowerCase()
  return ({ headers }: Pick<FastifyRequest, 'headers'>) => {
    const country = header && String(headers[header] ?? '').toUpperCase()
    // CDNs send XX for an unknown country.
    return /^[A-Z]{2}$/.test(country) && country !== 'XX' ? country : undefined
  }
}

/** For bodies whose fields are all optional: no body counts as an empty one. */
export const optionalBody: preValidationHookHandler = (request, _reply, done) => {
  if (request.body === undefined) request.body = {}
  done()
}

export const hasContentId = (body: unknown) => typeof body === 'object' && body !== null && Object.hasOwn(body, 'content_id')

/** The spec has a message of its own for a missing `content_id`, so this runs before the validation of the body. */
export const refuseMissingContentId = (missing: () => Error) => async (request: { body: unknown }) => {
  if (!hasContentId(request.body)) throw missing()
}
