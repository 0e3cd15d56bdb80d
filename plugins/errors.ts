import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isUnavailable } from '../src/database/faults.js'
import { ErrorAnswer, expectationFailed, internal, malformed, resourceNotFound, tooLarge, unavailable } from '../src/errors.js'
import { beginAnswer } from '../src/http/open-requests.js'
import { cacheControl, jsonType } from '../src/http/reply.js'
import { endWith, headersOf } from '../src/http/unparsed-requests.js'
import { invalidRequest } from '../src/http/validation.js'

const answerTo = (error: FastifyError): ErrorAnswer => {
  if (error instanceof ErrorAnswer) return Object.entries(error.headers).every(isSendable) ? error : internal()
  if (error.validation) return invalidRequest(error.validation, String(error.validationContext))
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge()
  if (error.statusCode === 404) return resourceNotFound()
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
  if (reply.raw.headersSent) {
    reply.raw.destroy()
    beginAnswer(reply)
    return
  }
  // After a 204 or 304 that could not be sent, Node still suppresses the body.
  const payload = [204, 304].includes(reply.raw.statusCode) ? undefined : body
  if (statusCode === 500) removeUnfitHeaders(reply)
  reply
    .code(statusCode)
    .headers(headers)
    .header('cache-control', cacheControl.error)
    .type(jsonType)
    .serializer(JSON.stringify)
    .send(payload)
}

/** Headers that describe the body of the response that was replaced. */
const describesBody = /^(content-(?!security-policy).*|etag|location|transfer-encoding)$/

const isSendable = ([name, value]: [string, unknown]) => {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value as string)
    return true
  } catch {
    return false
  }
}

/** Removes headers that made sending fail, for example because of a line break. */
const removeUnfitHeaders = (reply: FastifyReply) => {
  for (const header of Object.entries(reply.getHeaders()))
    if (describesBody.test(header[0]) || !isSendable(header)) reply.removeHeader(header[0])
}

/**
 * Sends the errors of src/errors.ts, even where Node would close the connection. src/http/unparsed-requests.ts does so for requests that
 * Node cannot parse.
 */
export default fp(
  async (app: FastifyInstance) => {
    app.setErrorHandler(sendError)

    app.server.on('checkExpectation', (_request, response) => {
      const { statusCode, body } = expectationFailed()
      const text = JSON.stringify(body)
      response.writeHead(statusCode, headersOf(text)).end(text)
    })
    app.server.on('connect', (_request, socket) => {
      socket.on('error', socket.destroy)
      endWith(malformed(), socket)
    })
    // By default, Node silently drops headers beyond the first 2,000. The limit on their bytes is enough.
    app.server.maxHeadersCount = 0
  },
  { name: 'errors' }
)
