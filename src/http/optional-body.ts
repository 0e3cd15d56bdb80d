import type { preValidationHookHandler } from 'fastify'

/** For a body of which every field is optional: none is the same as an empty one. */
export const optionalBody: preValidationHookHandler = (request, _reply, done) => {
  if (request.body === undefined) request.body = {}
  done()
}
