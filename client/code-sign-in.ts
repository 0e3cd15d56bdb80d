import type { Calls } from './calls.js'
import { codeDenied, codeExpired, ViewerError } from './errors.js'
import type { components } from './schema.js'

type DeviceCodes = components['schemas']['DeviceCodes']

/** What to show to the user. */
export type ShownCode = Pick<DeviceCodes, 'user_code' | 'verification_uri' | 'verification_uri_complete' | 'expires_in'>

export interface CodeSignIn {
  /** Shows the code. Resolves once it is shown. */
  onCode: (code: ShownCode) => void | Promise<void>
  /** Name of this device, which the approving user sees. */
  device?: string
  /** Ends the sign-in, for example when the user leaves the screen. */
  signal?: AbortSignal
}

/** In seconds, as in RFC 8628. */
const slowDownBy = 5
const longestWait = 60

/** Rejects when the signal aborts. */
export const pause = (seconds: number, signal?: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, seconds * 1000)
    signal?.addEventListener('abort', stop, { once: true })
    if (signal?.aborted) stop()
  })

/** Throws errors that end the sign-in. After any other, the device polls again. */
function throwIfOver(error: unknown, deadline: number): asserts error is ViewerError {
  if (!(error instanceof ViewerError)) throw error
  const { reason, kind } = error
  if (reason === 'access_denied') throw codeDenied(error)
  if (reason === 'expired_token' || Date.now() >= deadline) throw codeExpired(error)
  if (reason === undefined && kind === 'refused') throw error
}

/** If the response says nothing about the code, waits as long as it asks, or twice as long as last time. */
const waitAfter = ({ reason, retryAfter }: ViewerError, usual: number, last: number) =>
  reason === undefined ? (retryAfter ?? Math.min(longestWait, 2 * last)) : usual

/** Signs in a device without a keyboard, with a code that the user approves elsewhere. */
export const createCodeSignIn =
  (open: Calls, wait = pause) =>
  async ({ onCode, device, signal }: CodeSignIn) => {
    const init = signal ? { signal } : {}
    const { device_code, interval, ...shown } = await open.post('/login/device', { ...init, body: device === undefined ? {} : { device } })
    const deadline = Date.now() + shown.expires_in * 1000
    await onCode(shown)

    let [usual, next] = [interval, interval]
    while (true) {
      await wait(next, signal)
      try {
        return await open.post('/login/device/token', { ...init, body: { device_code } })
      } catch (error) {
        throwIfOver(error, deadline)
        if (error.reason === 'slow_down') usual += slowDownBy
        next = waitAfter(error, usual, next)
      }
    }
  }
