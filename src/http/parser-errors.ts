import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Failure, headersTooLarge, malformed, tooSlow } from '../errors.js'
import { jsonType } from './reply.js'

const failures: Record<string, () => Failure> = {
  ERR_HTTP_REQUEST_TIMEOUT: tooSlow,
  HPE_HEADER_OVERFLOW: headersTooLarge
}

/** What Node's HTTP parser refuses never becomes a request: the answer is written to the socket. */
export const answerParserError = (error: NodeJS.ErrnoException, socket: Socket) => {
  if (error.code === 'ECONNRESET') return socket.destroy()
  return endWith((failures[String(error.code)] ?? malformed)(), socket)
}

/** Connections whose last answer waits for those before it. */
const ending = new WeakSet<Duplex>()

/** Ends a connection with an answer, behind those to the requests that came before on it. */
export const endWith = (failure: Failure, socket: Duplex) => {
  // Whatever else comes from a caller meanwhile was refused already.
  if (ending.has(socket)) return
  ending.add(socket)
  endInTurn(failure, socket)
}

const endInTurn = (failure: Failure, socket: Duplex) => {
  const answer = answerBefore(socket)
  if (answer) {
    // By then Node has given the connection to the next answer in its queue.
    answer.once('close', () => endInTurn(failure, socket))
    return
  }
  ending.delete(socket)
  if (socket.destroyed || !socket.writable) socket.destroy()
  else socket.end(bytesOf(failure))
}

/** The answer that Node is giving on a connection, unless it is to the very request that is refused, of which nothing has left. */
const answerBefore = (socket: Duplex) => {
  // The only property of Node's here that is not documented; its own handler of parser errors goes by it.
  const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse | null }
  return answer && (answer.req.complete || answer.headersSent) ? answer : undefined
}

const bytesOf = ({ statusCode, body }: Failure) => {
  const text = JSON.stringify(body)
  return (
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\nContent-Type: ${jsonType}\r\n` +
    `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`
  )
}
