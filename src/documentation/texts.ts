import { maxValueLength, maxValues } from '../../schemas/lists.js'
import { defaultPerPage, maxPerPage } from '../../schemas/page.js'
import { cacheControl } from '../http/reply.js'

export const introduction = `The viewer-side backend of a streaming app.

**Sign in** with \`POST /login\` and send the \`access_token\` as \`Authorization: Bearer …\`. Before it expires, get a new pair of tokens from \`POST /login/refresh\`. (If you try \`POST /login\` on this page, all other calls use its token.)

**Responses.** A read or a sign-in returns \`{success: true, data}\`, a write \`{success: true, code, message}\`, and an error \`{success: false, code, message}\`. For invalid input, \`errors\` lists the fields. A 401 has no \`code\`. Writes repeat the message under the key \`"message "\`, with a trailing space, for clients of the old platform.

**Lists** are paged with \`perPage\` (${defaultPerPage} by default, at most ${maxPerPage}) and \`page\`. \`next_page\` is the number of the next page, or \`false\`. A parameter that takes several values accepts up to ${maxValues}, separated by commas or by repeating the parameter. A value may have up to ${maxValueLength} characters.

**Retries.** After a 429 or a 503, wait \`Retry-After\` seconds and try again. A request that returned a 503 may already have taken effect. Repeating it does no harm, except that \`POST /profiles\` adds another profile, a sign-in starts another session, a refresh token works only once, and a repeated \`PUT /me/password\` returns 401 and counts as a failed login. Send progress reports with \`observed_at\`: without it, a repeated report counts as a new one.

**Caching.** Public responses have an \`ETag\`. Send it as \`If-None-Match\`, and you get a 304 without a body if nothing has changed.`

/** In the order in which an app developer needs them. */
export const tags = [
  { name: 'Identity', description: 'Sign in, stay signed in, sign out. Not available if the operator uses an identity provider.' },
  { name: 'Catalogue', description: 'What there is to watch, limited to what the caller may see.' },
  { name: 'History', description: 'What the user has watched, and how far. Players report progress here.' },
  { name: 'Playing', description: 'Keeps an account within its device limit, if the operator has set one.' },
  { name: 'Continue watching', description: 'One card per show or film: where to resume, or the next episode.' },
  { name: 'Watchlist', description: 'What the user has saved for later.' },
  { name: 'Hidden titles', description: 'What the user does not want to see in recommendations and continue watching.' },
  { name: 'Ratings', description: 'What the user likes and dislikes, for recommendations.' },
  { name: 'Preferences', description: 'The languages of audio and subtitles that the user prefers, in general and by title.' },
  { name: 'Changes', description: "For apps that keep a copy of the user's lists." },
  { name: 'Recommendations', description: 'What to watch next, and why.' },
  {
    name: 'Profiles',
    description:
      'The viewers of an account, each with lists of their own. Children have an age limit. If the operator uses an identity provider, send the id of the profile in the header `Viewer-Profile` with every call, instead of signing in to the profile. The id of anything but a profile of the account returns 403.'
  },
  { name: 'Account', description: "The user's name and password, a copy of the stored data, and erasure." },
  { name: 'Texts', description: "Legal and support texts in the caller's language." },
  { name: 'Service', description: 'For load balancers and operators.' }
]

type Schema = { type: 'string' | 'integer'; format?: string }
interface Header {
  description: string
  schema: Schema
}
const header = (description: string, schema: Schema = { type: 'string' }): Header => ({ description, schema })

export const headers = {
  'x-request-id': header('Identifies the request in the log of the service'),
  'Retry-After': header('Seconds to wait before trying again', { type: 'integer', format: 'int64' }),
  ETag: header('The version of the response, for `If-None-Match`'),
  'Cache-Control': header(
    `\`${cacheControl.public}\`: may be stored, but must be revalidated before each use. For a profile with an age limit, \`${cacheControl.ageLimited}\`: a shared cache must not store it`
  ),
  Vary: header('The request headers that the response depends on, if any'),
  Allow: header('The methods that the path supports'),
  Location: header('The path of what was created or updated, or has moved. Missing for a late report of a removed element'),
  'Content-Language': header('The language of the text')
}
type HeaderName = keyof typeof headers

/**
 * These headers and the request id. Only responses to invalid HTTP, and to an unknown `Expect` (417), lack the id. They belong to no
 * operation, so the document does not describe them.
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

export const statuses: Record<string, Status> = {
  200: { description: 'Success' },
  201: { description: 'Saved' },
  304: { name: 'NotModified', headers: cacheable, description: 'Not modified: the version in `If-None-Match` is current' },
  308: {
    name: 'PermanentRedirect',
    headers: ['Location', 'Cache-Control', 'Vary'],
    description: 'The item has a new id. `Location` is its path'
  },
  400: { name: 'BadRequest', description: 'The request is invalid. The message says why' },
  401: { name: 'Unauthorized', description: 'No valid bearer token, a session that has ended, or a failed login' },
  403: { name: 'Forbidden', description: 'Not for this user or profile' },
  404: { name: 'NotFound', description: 'Not found' },
  405: { name: 'MethodNotAllowed', headers: ['Allow'], description: 'The path does not support this method' },
  409: { name: 'Conflict', description: 'The account is already playing on as many devices as it may' },
  413: { name: 'ContentTooLarge', description: 'The body is larger than 64 KiB' },
  429: { name: 'TooManyRequests', headers: ['Retry-After'], description: 'Too many requests from this user or address' },
  500: { name: 'InternalServerError', description: 'An internal error. Find it in the log by its request id' },
  503: {
    name: 'ServiceUnavailable',
    headers: ['Retry-After'],
    description: 'The database is unavailable, or the service is overloaded. Try again after `Retry-After` seconds'
  }
}

/** The headers of individual operations. */
export const ownHeaders: Record<string, HeaderName[]> = {
  'POST /history': ['Location'],
  'POST /profiles': ['Location'],
  'GET /legal': ['Content-Language'],
  'GET /legal/{languageCode}': ['Content-Language']
}
