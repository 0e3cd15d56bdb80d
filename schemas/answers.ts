import { type TSchema, Type } from '@sinclair/typebox'
import { Failure, Invalid, Unauthenticated } from './common.js'

const failures = {
  400: Invalid,
  401: Unauthenticated,
  403: Failure,
  404: Failure,
  405: Failure,
  413: Failure,
  429: Failure,
  500: Failure,
  503: Failure
}
type FailureStatus = keyof typeof failures

/** What every operation behind the limits and on the database may answer. */
const common: FailureStatus[] = [400, 405, 429, 500, 503]
/** What every operation may answer. */
const vital: FailureStatus[] = [400, 405, 500]

const failuresOf = (statuses: FailureStatus[]) =>
  Object.fromEntries(statuses.map(status => [status, Type.Ref(failures[status].$id as string)]))

/** The schemas of an operation's answers: its success and the errors of its own; those that any operation has come with them. */
export const answers = <T extends TSchema>(success: T, ...statuses: FailureStatus[]) => ({
  200: success,
  ...failuresOf([...statuses, ...common])
})
/** Of a public read, which a caller may have already. */
export const publicAnswers = <T extends TSchema>(success: T, ...statuses: FailureStatus[]) => ({
  ...answers(success, ...statuses),
  304: Type.Null({ description: 'What the caller has (`If-None-Match`) is still true' })
})
export const createdAnswers = <T extends TSchema>(success: T, ...statuses: FailureStatus[]) => ({
  201: success,
  ...failuresOf([...statuses, ...common])
})
/** Of an operation that is free of limits. */
export const vitalAnswers = <T extends object>(success: T, ...statuses: FailureStatus[]) => ({
  200: success,
  ...failuresOf([...statuses, ...vital])
})
