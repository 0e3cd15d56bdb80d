interface Header {
  description: string
  schema: { type: 'string' | 'integer'; format?: string }
}
export interface Status {
  /** Of the component that all operations share. */
  name?: string
  description: string
  headers?: Record<string, Header>
}

const header = (description: string, schema: Header['schema'] = { type: 'string' }): Header => ({ description, schema })

export const requestId = { 'x-request-id': header('Identifies the request in the log of the service') }

const retryAfter = { 'Retry-After': header('Seconds to wait before trying again', { type: 'integer', format: 'int64' }) }

/** The headers of public reads, and of their 304. */
export const cacheable = {
  ETag: header('The version of the answer, for `If-None-Match`'),
  'Cache-Control': header('`public, no-cache`: may be stored, but must be revalidated before each use'),
  Vary: header('The request headers that the answer depends on')
}

/** The meaning of each status, for all operations. */
export const statuses: Record<string, Status> = {
  200: { description: 'Success' },
  201: { description: 'Saved' },
  304: { name: 'NotModified', headers: cacheable, description: 'Not modified: the version in `If-None-Match` is current' },
  400: { name: 'BadRequest', description: 'The request is invalid. The message says why' },
  401: { name: 'Unauthorized', description: 'No valid bearer token, or a failed login' },
  403: { name: 'Forbidden', description: 'Belongs to another user' },
  404: { name: 'NotFound', description: 'Not found' },
  405: {
    name: 'MethodNotAllowed',
    description: 'The path does not support this method',
    headers: { Allow: header('The methods that it supports') }
  },
  413: { name: 'ContentTooLarge', description: 'The body is larger than 64 KiB' },
  429: { name: 'TooManyRequests', description: 'Too many requests from this user or address', headers: retryAfter },
  500: { name: 'InternalServerError', description: 'An internal error. Find it in the log by its request id' },
  503: {
    name: 'ServiceUnavailable',
    description: 'The database is unavailable, or the service is overloaded. Try again: repeating the request does no harm',
    headers: retryAfter
  }
}

const contentLanguage = { 'Content-Language': header('The language of the text') }

/** The headers of single operations. */
export const ownHeaders: Record<string, Record<string, Header>> = {
  'POST /history': { Location: header('The path of the history element') },
  'GET /legal': contentLanguage,
  'GET /legal/{languageCode}': contentLanguage
}
