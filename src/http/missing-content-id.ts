import type { Failure } from '../errors.js'

/** Told before any other fault of the body: it has no `content_id`, or there is no body at all. */
export const refuseMissingContentId = (failure: () => Failure) => async (request: { body: unknown }) => {
  const { body } = request
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'content_id')) throw failure()
}
