import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { FastifyReply } from 'fastify'
import { internal } from '../errors.js'
import { jsonType } from './reply.js'

/** Headers that describe the body that could not be sent. */
const describesBody = /^(content-.*|etag|location|transfer-encoding)$/

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
 * Answers 500 after sending an answer has thrown. Bypasses Fastify, which would try the same headers again. If the head is
 * already sent, all it can do is close the connection.
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
  const kept = Object.entries(reply.getHeaders()).filter(([name, value]) => !describesBody.test(name) && isSendable(name, value))
  for (const name of raw.getHeaderNames()) raw.removeHeader(name)
  // After a 204 or 304, Node keeps suppressing the body, whatever the new status.
  Object.assign(raw, { _hasBody: request.method !== 'HEAD' })
  raw.writeHead(statusCode, {
    ...Object.fromEntries(kept),
    'content-type': jsonType,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store'
  })
  raw.end(text)
}
