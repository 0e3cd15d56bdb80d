import { type TSchema, Type } from '@sinclair/typebox'
import { Failure, Invalid, TooManyStreams, Unauthenticated } from './common.js'

const failures = {
  400: Invalid,
  401: Unauthenticated,
  403: Failure,
  404: Failure,
  405: Failure,
  409: TooManyStreams,
  413: Failure,
  429: Failure,
  500: Failure,
  503: Failure
}
type FailureStatus = keyof typeof failures

/** The errors of every rate-limited operation. */
const limitedErrors: FailureStatus[] = [400, 405, 429, 500, 503]
/** The errors of every operation. */
const baseErrors: FailureStatus[] = [400, 405, 500]

const failuresOf = (statuses: FailureStatus[]) =>
  Object.fromEntries(statuses.map(status => [status, Type.Ref(failures[status].$id as string)]))

/** A success, the operation's own errors, and those of every rate-limited operation. */
export const answers = <T extends TSchema>(success: T, ...statuses: FailureStatus[]) => ({
  200: success,
  ...failuresOf([...statuses, ...limitedErrors])
})
export const publicAnswers = <T extends TSchema>(success: T, ...statuses: FailureStatus[]) => ({
  ...answers(success, ...statuses),
  304: Type.Null()
})
export const createdAnswers = <T extends TSchema>(success: T, ...statuses: FailureStatus[]) => ({
  201: success,
  ...failuresOf([...statuses, ...limitedErrors])
})
/** The responses of an operation without rate limits. */
export const vitalAnswers = <T extends object>(success: T, ...statuses: FailureStatus[]) => ({
  200: success,
  ...failuresOf([...statuses, ...baseErrors])
})
