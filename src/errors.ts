export interface FieldError {
  field: string
  message: string
}

interface FailureBody {
  success: false
  code?: number
  message: string
  errors?: FieldError[]
}

/** An answer of the error catalogue. Thrown anywhere, sent by the errors plugin as it stands. */
export class Failure extends Error {
  constructor(
    readonly statusCode: number,
    readonly body: FailureBody,
    readonly headers: Record<string, string> = {}
  ) {
    super(body.message)
  }
}

const failure =
  (status: number, message: string, code = status) =>
  () =>
    new Failure(status, { success: false, code, message })

const retryLater =
  (status: number, message: string) =>
  (seconds = 1) =>
    new Failure(status, { success: false, code: status, message }, { 'retry-after': String(Math.max(1, Math.ceil(seconds))) })

/** The only error body without a code. */
export const unauthenticated = () => new Failure(401, { success: false, message: 'Unauthenticated.' })
export const forbidden = failure(403, 'Forbidden')
export const notFound = failure(404, 'Resource not found')
/** The spec has a text of its own for the update of a history element that is not there. */
export const updatedNotFound = failure(404, 'The resource was not found')
export const watchlistElementNotFound = failure(404, 'Watchlist element not found')

export const contentIdMissing = failure(400, 'The content ID was not provided')
/** The texts of POST /history begin with a stray apostrophe in the spec. */
export const historyContentIdMissing = failure(400, "'The content ID was not provided")
/** The spec lists it as a 400 whose body says 404. */
export const contentNotFound = failure(400, 'The content was not found', 404)
export const historyContentNotFound = failure(400, "'The content was not found", 404)

export const malformed = failure(400, 'The request is malformed')
export const malformedBody = failure(400, 'The body is not valid JSON')
export const malformedUrl = failure(400, 'The address is not valid percent-encoding')
export const tooLarge = failure(413, 'The body is larger than 65536 bytes')
export const headersTooLarge = failure(431, 'The headers are too large')
export const tooSlow = failure(408, 'The request took too long to arrive')
export const expectationFailed = failure(417, 'No expectation but 100-continue can be met')
export const internal = failure(500, 'Internal server error')

export const unavailable = retryLater(503, 'The service is not available for the moment, try again')
export const tooManyRequests = retryLater(429, 'Too many requests, try again later')
export const tooManyLogins = retryLater(429, 'Too many failed logins, try again later')

export const methodNotAllowed = (allow: string) =>
  new Failure(405, { success: false, code: 405, message: `Method not allowed, use ${allow}` }, { allow })

export const invalid = (errors: [FieldError, ...FieldError[]]) =>
  new Failure(400, { success: false, code: 400, message: `${errors[0].field} ${errors[0].message}`, errors })

/** The value, or the answer for what is not there. */
export const found = <T>(value: T | null | undefined, missing = notFound): T => {
  if (value === null || value === undefined) throw missing()
  return value
}
