import type { ErrorAnswer } from '../errors.js'

export const hasContentId = (body: unknown) => typeof body === 'object' && body !== null && Object.hasOwn(body, 'content_id')

/** The spec has a message of its own for a missing `content_id`, so this runs before the validation of the body. */
export const refuseMissingContentId = (missing: () => ErrorAnswer) => async (request: { body: unknown }) => {
  if (!hasContentId(request.body)) throw missing()
}
