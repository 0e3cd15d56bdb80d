import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isUnavailable } from '../src/data/driver/faults.js'
import { Failure, internal, malformed, notFound, tooLarge, unavailable } from '../src/errors.js'
import { jsonType } from '../src/http/reply.js'
import { invalidRequest } from '../src/http/validation.js'

const failureOf = (error: FastifyError): Failure => {
  if (error instanceof Failure) return error
  if (error.validation) return invalidRequest(error.validation, String(error.validationContext))
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge()
  if (error.statusCode === 404) return notFound()
  if (error.statusCode && error.statusCode < 500) return malformed()
  // After the callers' own faults, since their sockets break with the codes of those to the database.
  if (isUnavailable(error)) return unavailable()
  return internal()
}

export const sendFailure = (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
  const failure = failureOf(error)
  const { statusCode, body, headers } = failure
  if (statusCode === 500) request.log.error({ reqId: request.id, err: error }, 'request failed')
  else if (statusCode === 503 && !(error instanceof Failure)) request.log.warn({ reqId: request.id, err: error }, 'request refused')
  reply.code(statusCode).headers(headers).header('cache-control', 'no-store').type(jsonType).serializer(JSON.stringify).send(body)
}

/** Every error leaves in the product's shape, and what went wrong inside stays in the log. */
export default fp(
  async (app: FastifyInstance) => {
    app.setErrorHandler(sendFailure)
  },
  { name: 'errors' }
)
