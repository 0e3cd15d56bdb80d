import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Failure, headersTooLarge, malformed, tooSlow } from './errors.js'
import { jsonType } from './reply.js'

const failures: Record<string, () => Failure> = {
  ERR_HTTP_REQUEST_TIMEOUT: tooSlow,
  HPE_HEADER_OVERFLOW: headersTooLarge
}

/** What Node's HTTP parser refuses never becomes a request: the answer is written to the socket. */
export const answerParserError = (error: NodeJS.ErrnoException, socket: Socket) => {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return socket.destroy()
  return endWith((failures[String(error.code)] ?? malformed)(), socket)
}

/** The last that is said on a connection. */
export const endWith = ({ statusCode, body }: Failure, socket: Duplex) => {
  const text = JSON.stringify(body)
  socket.end(
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\nContent-Type: ${jsonType}\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`
  )
}
