interface Header {
  description: string
  schema: { type: 'string' | 'integer' }
}
export interface Status {
  description: string
  headers?: Record<string, Header>
}

const header = (description: string, type: Header['schema']['type'] = 'string'): Header => ({ description, schema: { type } })

export const requestId = { 'x-request-id': header('Identifies the request in the log of the service') }

const retryAfter = { 'Retry-After': header('Seconds to wait before trying again', 'integer') }

/** The meaning of each status, for all operations. */
export const statuses: Record<string, Status> = {
  200: { description: 'Success' },
  201: { description: 'Saved' },
  304: { description: 'Not modified: the version in `If-None-Match` is current' },
  400: { description: 'The request is invalid. The message says why' },
  401: { description: 'No valid bearer token, or a failed login' },
  403: { description: 'Belongs to another user' },
  404: { description: 'Not found' },
  405: { description: 'The path does not support this method', headers: { Allow: header('The methods that it supports') } },
  408: { description: 'No byte arrived for 30 seconds' },
  409: { description: 'Another import is running', headers: retryAfter },
  413: { description: 'The body is larger than 64 KiB' },
  429: { description: 'Too many requests from this user or address', headers: retryAfter },
  500: { description: 'An internal error. Find it in the log by its request id' },
  503: {
    description: 'The database is unavailable, or the service is overloaded. Try again: repeating the request does no harm',
    headers: retryAfter
  }
}

/** The headers of public reads and their 304. */
export const cacheable = {
  ETag: header('The version of the answer, for `If-None-Match`'),
  'Cache-Control': header('`public, no-cache`: may be stored, but must be revalidated before each use'),
  Vary: header('The request headers that the answer depends on')
}

const contentLanguage = { 'Content-Language': header('The language of the text') }

/** The headers of single operations. */
export const ownHeaders: Record<string, Record<string, Header>> = {
  'POST /history': { Location: header('The path of the history element') },
  'GET /legal': contentLanguage,
  'GET /legal/{languageCode}': contentLanguage
}
