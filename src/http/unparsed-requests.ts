import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ErrorAnswer, headersTooLarge, malformed, tooSlow } from '../errors.js'
import { cacheControl, jsonType, securityHeaders } from './reply.js'

const errors: Record<string, () => ErrorAnswer> = {
  ERR_HTTP_REQUEST_TIMEOUT: tooSlow,
  HPE_HEADER_OVERFLOW: headersTooLarge
}

/** Connections with an upload that `requestTimeout` must not end. */
export const slowUploads = new WeakSet<Socket>()

/** Responds to requests that Node's HTTP parser rejects. There is no request object yet, so this writes to the socket. */
export const answerParserError = (error: NodeJS.ErrnoException, socket: Socket) => {
  if (error.code === 'ECONNRESET') return socket.destroy()
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && slowUploads.has(socket)) return
  return endWith((errors[String(error.code)] ?? malformed)(), socket)
}

/** How long a caller has to read the error response, in milliseconds. */
const lingering = 2000

/** Sends an error response and closes the connection. Only closes it if an earlier pipelined request is waiting for its response. */
export const endWith = (error: ErrorAnswer, socket: Duplex) => {
  // The caller may send more bytes in the meantime. One error response is enough.
  if (socket.writableEnded) return
  // An undocumented property, which Node's own handler of parser errors also uses: the response that comes next.
  const { _httpMessage: next } = socket as { _httpMessage?: ServerResponse | null }
  if (next?.req.complete || next?.headersSent) {
    socket.destroy()
    return
  }
  socket.end(bytesOf(error))
  // Otherwise, a caller that keeps sending would keep its half of the connection open.
  setTimeout(() => socket.destroy(), lingering).unref()
}

/** The headers of an error response that no hook sees. */
export const headersOf = (text: string) => ({
  'content-type': jsonType,
  'content-length': Buffer.byteLength(text),
  'cache-control': cacheControl.error,
  ...securityHeaders,
  connection: 'close'
})

const bytesOf = ({ statusCode, body }: ErrorAnswer) => {
  const text = JSON.stringify(body)
  const headers = Object.entries(headersOf(text)).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${headers.join('')}\r\n${text}`
}
