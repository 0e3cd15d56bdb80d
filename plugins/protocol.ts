import fp from 'fastify-plugin'
import { expectationFailed, malformed } from '../src/errors.js'
import { endWith, headersOf } from '../src/http/parser-errors.js'

/** Node uses the first of several Host headers; a proxy in front may have used another. */
const hostsIn = (rawHeaders: string[]) => {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') count++
  return count
}

/**
 * Refuses unknown expectations, CONNECT and a missing Host with a JSON body. Node would send none. Also refuses several Hosts, which Node
 * would accept.
 */
export default fp(
  async app => {
    app.server.on('checkExpectation', (_request, response) => {
      const { statusCode, body } = expectationFailed()
      const text = JSON.stringify(body)
      response.writeHead(statusCode, headersOf(text)).end(text)
    })

    // By default, Node silently drops headers beyond the first 2,000. The limit on their bytes is enough.
    app.server.maxHeadersCount = 0

    // Node would hang up without an answer.
    app.server.on('connect', (_request, socket) => {
      socket.on('error', socket.destroy)
      endWith(malformed(), socket)
    })

    app.addHook('onRequest', ({ raw }, _reply, done) => {
      const hosts = hostsIn(raw.rawHeaders)
      const needsHost = raw.httpVersionMajor === 1 && raw.httpVersionMinor === 1
      done(hosts > 1 || (hosts === 0 && needsHost) ? malformed() : undefined)
    })
  },
  { name: 'protocol' }
)
