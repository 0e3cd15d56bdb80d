import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isUnavailable } from '../src/data/driver/faults.js'
import { ErrorAnswer, internal, malformed, tooLarge, unavailable, unknownPath } from '../src/errors.js'
import { jsonType } from '../src/http/reply.js'
import { invalidRequest } from '../src/http/validation.js'

const answerTo = (error: FastifyError): ErrorAnswer => {
  if (error instanceof ErrorAnswer) return error
  if (error.validation) return invalidRequest(error.validation, String(error.validationContext))
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge()
  if (error.statusCode === 404) return unknownPath()
  if (error.statusCode && error.statusCode < 500) return malformed()
  // Checked after the caller's errors, because a caller's broken socket has the same error codes as a broken database connection.
  if (isUnavailable(error)) return unavailable()
  return internal()
}

export const sendError = (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
  const { statusCode, body, headers } = answerTo(error)
  if (statusCode === 500) request.log.error({ reqId: request.id, err: error }, 'request failed')
  else if (statusCode === 503 && !(error instanceof ErrorAnswer))
    request.log.warn({ reqId: request.id, err: error }, 'request failed: the database is unavailable')
  reply.code(statusCode).headers(headers).header('cache-control', 'no-store').type(jsonType).serializer(JSON.stringify).send(body)
}

/** Answers every error with one of the errors in src/errors.ts. Internal details go to the log only. */
export default fp(
  async (app: FastifyInstance) => {
    app.setErrorHandler(sendError)
  },
  { name: 'errors' }
)
