import type { preValidationHookHandler } from 'fastify'

/** For bodies whose fields are all optional: no body counts as an empty one. */
export const optionalBody: preValidationHookHandler = (request, _reply, done) => {
  if (request.body === undefined) request.body = {}
  done()
}
