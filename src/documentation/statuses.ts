interface Header {
  description: string
  schema: { type: 'string' | 'integer' }
}
export interface Status {
  description: string
  headers?: Record<string, Header>
}

const header = (description: string, type: Header['schema']['type'] = 'string'): Header => ({ description, schema: { type } })

export const requestId = { 'x-request-id': header('Names the request in the log of the service') }

const retryAfter = { 'Retry-After': header('Seconds to wait before the next try', 'integer') }

/** What each status means, wherever it is answered. */
export const statuses: Record<string, Status> = {
  200: { description: 'Done' },
  201: { description: 'Done, and it is there' },
  304: { description: 'What the caller has (`If-None-Match`) is still true' },
  400: { description: 'A fault of the request, which names the field and the rule' },
  401: { description: 'No valid bearer token, or a refused login' },
  403: { description: "It is another user's" },
  404: { description: 'There is no such thing' },
  405: { description: 'The path has no such method', headers: { Allow: header('The methods that it has') } },
  413: { description: 'A body above 64 KiB' },
  429: { description: 'Beyond the limit of the user or the address', headers: retryAfter },
  500: { description: 'A fault of the service; the log has it under the request id' },
  503: { description: 'The database does not answer, or too many requests wait; nothing is lost by trying again', headers: retryAfter }
}

/** Of a public read and its 304. */
export const cacheable = {
  ETag: header('Names this state of the answer, for `If-None-Match`'),
  'Cache-Control': header('`public, no-cache`: may be kept, and is asked for again'),
  Vary: header('The request headers that the answer depends on')
}

const contentLanguage = { 'Content-Language': header('The language of the text') }

/** Of one operation alone. */
export const ownHeaders: Record<string, Record<string, Header>> = {
  'POST /history': { Location: header('The path of the element') },
  'GET /legal': contentLanguage,
  'GET /legal/{languageCode}': contentLanguage
}
