import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { FastifyReply } from 'fastify'
import { internal } from '../errors.js'
import { jsonType } from './reply.js'

/** Say something of the answer that could not be sent. */
const ofTheAnswer = /^(content-.*|etag|location|transfer-encoding)$/

const isSendable = (name: string, value: unknown) => {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value as string)
    return true
  } catch {
    return false
  }
}

/**
 * Answers 500 in the place of an answer whose sending threw, past Fastify, which would try the same headers again.
 * Once the head has left, all that can be done is to end the connection.
 */
export const answerFailedSend = (error: unknown, reply: FastifyReply) => {
  const { raw, request } = reply
  request.log.error({ reqId: request.id, err: error }, 'request failed')
  if (raw.headersSent) {
    raw.destroy()
    return
  }
  const { statusCode, body } = internal()
  const text = JSON.stringify(body)
  const kept = Object.entries(reply.getHeaders()).filter(([name, value]) => !ofTheAnswer.test(name) && isSendable(name, value))
  for (const name of raw.getHeaderNames()) raw.removeHeader(name)
  // Node has noted that a 204 or 304 has no body, and forgets it with no later status.
  Object.assign(raw, { _hasBody: request.method !== 'HEAD' })
  raw.writeHead(statusCode, {
    ...Object.fromEntries(kept),
    'content-type': jsonType,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store'
  })
  raw.end(text)
}
