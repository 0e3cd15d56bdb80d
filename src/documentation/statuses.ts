type Schema = { type: 'string' | 'integer'; format?: string }
interface Header {
  description: string
  schema: Schema
}
const header = (description: string, schema: Schema = { type: 'string' }): Header => ({ description, schema })

/** The headers that answers may have, by their names. */
export const headers = {
  'x-request-id': header('Identifies the request in the log of the service'),
  'Retry-After': header('Seconds to wait before trying again', { type: 'integer', format: 'int64' }),
  ETag: header('The version of the answer, for `If-None-Match`'),
  'Cache-Control': header(
    '`public, no-cache`: may be stored, but must be revalidated before each use. For a profile with an age limit, `private, no-cache`: no shared cache may store it'
  ),
  Vary: header('The request headers that the answer depends on, if there are any'),
  Allow: header('The methods that the path supports'),
  Location: header('The path of what was created or updated. Missing if a late report was for a removed element'),
  'Content-Language': header('The language of the text')
}
type HeaderName = keyof typeof headers

/**
 * These headers and the request id. Only answers to what Node cannot read as HTTP, and to an unknown `Expect` (417), lack the id. They
 * have no operation, so the document does not describe them.
 */
export const referredHeaders = (names: HeaderName[]) =>
  Object.fromEntries(['x-request-id', ...names].map(name => [name, { $ref: `#/components/headers/${name}` }]))

export interface Status {
  /** Of the component that all operations share. */
  name?: string
  description: string
  headers?: HeaderName[]
}

/** The headers of public reads, and of their 304. */
export const cacheable: HeaderName[] = ['ETag', 'Cache-Control', 'Vary']

/** The meaning of each status, for all operations. */
export const statuses: Record<string, Status> = {
  200: { description: 'Success' },
  201: { description: 'Saved' },
  304: { name: 'NotModified', headers: cacheable, description: 'Not modified: the version in `If-None-Match` is current' },
  400: { name: 'BadRequest', description: 'The request is invalid. The message says why' },
  401: { name: 'Unauthorized', description: 'No valid bearer token, or a failed login' },
  403: { name: 'Forbidden', description: 'Not for this user or profile' },
  404: { name: 'NotFound', description: 'Not found' },
  405: { name: 'MethodNotAllowed', headers: ['Allow'], description: 'The path does not support this method' },
  409: { name: 'Conflict', description: 'The account already plays on as many devices as it is allowed' },
  413: { name: 'ContentTooLarge', description: 'The body is larger than 64 KiB' },
  429: { name: 'TooManyRequests', headers: ['Retry-After'], description: 'Too many requests from this user or address' },
  500: { name: 'InternalServerError', description: 'An internal error. Find it in the log by its request id' },
  503: {
    name: 'ServiceUnavailable',
    headers: ['Retry-After'],
    description: 'The database is unavailable, or the service is overloaded. Try again after `Retry-After` seconds'
  }
}

/** The headers of single operations. */
export const ownHeaders: Record<string, HeaderName[]> = {
  'POST /history': ['Location'],
  'POST /profiles': ['Location'],
  'GET /legal': ['Content-Language'],
  'GET /legal/{languageCode}': ['Content-Language']
}
