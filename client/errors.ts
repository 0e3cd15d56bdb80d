import type { components } from './schema.js'

export type Trouble =
  /** No response, one that is not from the service, or a 408: the request took too long to arrive. */
  | 'no-answer'
  /** The service asks the caller to wait `retryAfter` seconds. */
  | 'busy'
  | 'wrong-credentials'
  | 'signed-out'
  /** There was a session, but it cannot be renewed. */
  | 'session-ended'
  /** Nobody approved the code of a device in time. */
  | 'code-expired'
  /** The user denied the code of a device. */
  | 'code-denied'
  /** The account is already playing on as many `devices` as it may. */
  | 'too-many-streams'
  /** The service does not accept the request. Sending the same one again does not help. */
  | 'refused'
  /** The service failed. */
  | 'failed'

const advice: Record<Trouble, string> = {
  'no-answer':
    'Check the connection and the address of the service, then try again. For browsers, CORS_ORIGIN of the service must include the origin of the app.',
  busy: 'Wait retryAfter seconds, then try again.',
  'wrong-credentials': 'Ask for the credentials again.',
  'signed-out': 'Sign in with signIn(email, password).',
  'session-ended': 'Ask for a new sign-in. Unsent progress is kept and sent after it.',
  'code-expired': 'Get a new code.',
  'code-denied': 'Offer another way to sign in, or a new code.',
  'too-many-streams': 'Stop playing on one of the devices, then try again.',
  refused: 'Change the request as the message says. The same request would be refused again.',
  failed: 'Try again later. The operator can find the reason in the log under requestId.'
}

type DeviceRefusal = components['schemas']['Invalid']['error']

interface Details {
  status?: number | undefined
  code?: number | undefined
  fields?: { field: string; message: string }[] | undefined
  reason?: DeviceRefusal | undefined
  devices?: (string | null)[] | undefined
  retryAfter?: number | undefined
  requestId?: string | undefined
  cause?: unknown
}

/** What went wrong (`message`) and what to do about it (`advice`). Thrown by every failed call, unless the caller aborted it. */
export class ViewerError extends Error {
  override readonly name = 'ViewerError'
  readonly advice: string
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined
  /** The code in the body, which may differ from the status. */
  readonly code: number | undefined
  /** The invalid fields of the request. */
  readonly fields: { field: string; message: string }[]
  /** Why a device is not signed in yet. */
  readonly reason: DeviceRefusal | undefined
  /** The devices that are playing, if there are too many. Null stands for one without a name. */
  readonly devices: (string | null)[]
  /** Seconds to wait before trying again, if the service said so. */
  readonly retryAfter: number | undefined
  /** The id of the request in the log of the service. */
  readonly requestId: string | undefined

  constructor(
    readonly kind: Trouble,
    message: string,
    { status, code, fields = [], reason, devices = [], retryAfter, requestId, cause }: Details = {}
  ) {
    // Some messages of the interface begin with a stray apostrophe.
    super(message.replace(/^'/, ''), { cause })
    this.advice = advice[kind]
    this.status = status
    this.code = code
    this.fields = fields
    this.reason = reason
    this.devices = devices
    this.retryAfter = retryAfter
    this.requestId = requestId
  }
}

export const noAnswer = (cause: unknown) => new ViewerError('no-answer', 'The service did not respond', { cause })
export const notFromService = () => noAnswer('The response is not from the service: a captive portal or a proxy may have sent it')
export const signedOut = () => new ViewerError('signed-out', 'Nobody is signed in')
export const sessionEnded = (cause?: unknown) =>
  new ViewerError('session-ended', 'The session has ended: it expired, was revoked or was signed out elsewhere', { status: 401, cause })
export const wrongCredentials = (cause: unknown, message: string) => new ViewerError('wrong-credentials', message, { status: 401, cause })
export const isUnauthorized = (error: unknown) => error instanceof ViewerError && error.status === 401
/** Whether trying again may help. */
export const mayBeTemporary = (error: unknown): error is ViewerError =>
  error instanceof ViewerError && ['no-answer', 'busy', 'failed'].includes(error.kind)
export const isForbidden = (error: unknown) => error instanceof ViewerError && error.status === 403
/** The cause has no status if the service did not respond until the code expired. */
export const codeExpired = (cause: ViewerError) =>
  new ViewerError('code-expired', 'The code expired before anyone approved it', { status: cause.status, cause })
export const codeDenied = (cause: unknown) => new ViewerError('code-denied', 'The sign-in was denied', { status: 400, cause })

const kindOf = (status: number, devices: unknown): Trouble => {
  // The service gave up waiting for the rest of the request.
  if (status === 408) return 'no-answer'
  if (status === 409 && Array.isArray(devices)) return 'too-many-streams'
  if (status === 401) return 'signed-out'
  if (status === 429 || status === 503) return 'busy'
  return status < 500 ? 'refused' : 'failed'
}

/** The header has seconds or a date. */
const secondsOf = (retryAfter: string | null) => {
  if (retryAfter === null) return undefined
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined
}

/** Statuses that mean the same, whoever sends them: the request took too long, or there are too many. */
const fromAnyone = [408, 429]

/** The error for an unsuccessful response. A proxy may have sent it, so its body can be anything. */
export const errorOf = ({ status, headers }: Response, body: unknown) => {
  const { success, code, message, errors, error, devices } = (typeof body === 'object' && body !== null ? body : {}) as Record<
    string,
    unknown
  >
  // What was refused only by a proxy must not be dropped, and only the service may end a session.
  if (success !== false && status < 500 && !fromAnyone.includes(status)) return notFromService()
  return new ViewerError(kindOf(status, devices), typeof message === 'string' ? message : `The response was HTTP ${status}`, {
    status,
    code: typeof code === 'number' ? code : undefined,
    fields: Array.isArray(errors) ? errors : [],
    reason: typeof error === 'string' ? (error as DeviceRefusal) : undefined,
    devices: Array.isArray(devices) ? devices : [],
    retryAfter: secondsOf(headers.get('retry-after')),
    requestId: headers.get('x-request-id') ?? undefined
  })
}
