import type { Collection, Document, Filter } from 'mongodb'
import { type DeviceRefusal, type FieldError, unauthenticatedMessage } from '../schemas/common.js'
import { pollStep } from '../schemas/device.js'
import { bodyLimit } from './http/requests.js'

export interface LineError extends FieldError {
  line: number
}

interface ErrorBody {
  success: false
  code?: number
  message: string
  errors?: FieldError[]
  error?: DeviceRefusal
  devices?: (string | null)[]
}

/** An error response. Throw it anywhere; the errors plugin sends it. */
export class ErrorAnswer extends Error {
  constructor(
    readonly statusCode: number,
    readonly body: ErrorBody,
    readonly headers: Record<string, string> = {}
  ) {
    super(body.message)
  }
}

const errorAnswer =
  (status: number, message: string, code = status) =>
  () =>
    new ErrorAnswer(status, { success: false, code, message })

const retryLater =
  (status: number, message: string, fallback = 1) =>
  (seconds = fallback) =>
    new ErrorAnswer(status, { success: false, code: status, message }, { 'retry-after': String(Math.max(1, Math.ceil(seconds))) })

/** The only error body without a code. */
export const unauthenticated = () => new ErrorAnswer(401, { success: false, message: unauthenticatedMessage })
export const forbidden = errorAnswer(403, 'Forbidden')

export const resourceNotFound = errorAnswer(404, 'Resource not found')
/** The spec has a different message for an update of the history. */
export const historyUpdateNotFound = errorAnswer(404, 'The resource was not found')
export const watchlistElementNotFound = errorAnswer(404, 'Watchlist element not found')

export const contentIdMissing = errorAnswer(400, 'The content ID was not provided')
/** In the spec, the messages of POST /history begin with a stray apostrophe. */
export const historyContentIdMissing = errorAnswer(400, "'The content ID was not provided")
/** For the `content_id` of a body. In the spec, the status is 400 and the code in the body is 404. */
export const givenContentNotFound = errorAnswer(400, 'The content was not found', 404)
export const historyContentNotFound = errorAnswer(400, "'The content was not found", 404)

export const tooManyProfiles = errorAnswer(400, 'The account already has the maximum number of profiles')
export const firstProfile = errorAnswer(400, 'The first profile cannot be deleted')

const enumeration = new Intl.ListFormat('en')
export const tooManyStreams = (devices: (string | null)[]) => {
  const names = enumeration.format(devices.map(name => name ?? 'an unnamed device'))
  return new ErrorAnswer(409, { success: false, code: 409, message: `The account is already playing on ${names}`, devices })
}

export const malformed = errorAnswer(400, 'The request is malformed')
export const malformedBody = errorAnswer(400, 'The body is not valid JSON')
export const malformedUrl = errorAnswer(400, 'The URL contains invalid percent-encoding')
export const tooLarge = errorAnswer(413, `The body is larger than ${bodyLimit} bytes`)
export const headersTooLarge = errorAnswer(431, 'The headers are too large')
export const tooSlow = () =>
  new ErrorAnswer(408, { success: false, code: 408, message: 'The request took too long to arrive' }, { connection: 'close' })
export const expectationFailed = errorAnswer(417, 'The only expectation that can be met is 100-continue')
export const internal = errorAnswer(500, 'Internal server error')

export const unavailable = retryLater(503, 'The service is temporarily unavailable, try again later')
export const importRunning = retryLater(409, 'Another import is running, try again later', 5)
export const importLost = retryLater(409, 'The import lost its lease, send the file again', 5)
export const tooManyRequests = retryLater(429, 'Too many requests, try again later')
export const tooManyLogins = retryLater(429, 'Too many login attempts, try again later')

export const tooManyCodes = retryLater(429, 'Too many wrong codes, try again later')

const deviceMessages: Record<DeviceRefusal, string> = {
  authorization_pending: 'The code has not been approved yet, try again later',
  slow_down: `The device is polling too often and must wait ${pollStep} seconds longer`,
  expired_token: 'The code has expired or was used, get a new one',
  access_denied: 'The sign-in was denied'
}
export const deviceRefused = (error: DeviceRefusal) =>
  new ErrorAnswer(400, { success: false, code: 400, error, message: deviceMessages[error] })

export const methodNotAllowed = (methods: string[]) => {
  const allow = [...new Set(methods)].sort().join(', ')
  return new ErrorAnswer(405, { success: false, code: 405, message: `Method not allowed, use ${allow}` }, { allow })
}

export const invalid = (errors: [FieldError, ...FieldError[]]) =>
  new ErrorAnswer(400, { success: false, code: 400, message: `${errors[0].field} ${errors[0].message}`, errors })

/** Lists the first errors. `rest` is the number of the others. */
export const importRefused = (errors: LineError[], rest: number) => {
  const [{ line, field, message }] = errors as [LineError]
  const others = errors.length - 1 + rest
  const more = others === 0 ? '' : `, and ${others} more ${others === 1 ? 'error' : 'errors'}`
  return new ErrorAnswer(400, { success: false, code: 400, message: `line ${line}: ${field} ${message}${more}`, errors })
}

/** The error for an id that matched none of the caller's documents: `forbidden` if it is someone else's, otherwise `missing`. */
export const forbiddenOr = async <T extends Document>(
  missing: () => ErrorAnswer,
  collection: Collection<T>,
  id: Filter<T>
): Promise<ErrorAnswer> => ((await collection.findOne(id, { projection: { _id: 1 } })) ? forbidden() : missing())

export const orThrow = <T>(value: T | null | undefined, missing: () => ErrorAnswer): T => {
  if (value === null || value === undefined) throw missing()
  return value
}
