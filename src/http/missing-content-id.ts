import type { ErrorAnswer } from '../errors.js'

/** The spec has a message of its own for a missing `content_id`, so this runs before the validation of the body. */
export const refuseMissingContentId = (missing: () => ErrorAnswer) => async (request: { body: unknown }) => {
  const { body } = request
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'content_id')) throw missing()
}
