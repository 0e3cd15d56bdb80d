import fp from 'fastify-plugin'
import { expectationFailed, malformed } from '../src/errors.js'
import { endWith } from '../src/http/parser-errors.js'
import { jsonType } from '../src/http/reply.js'

/** Of several, Node would take the first, where a proxy in front may have gone by another. */
const hostsIn = (rawHeaders: string[]) => {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') count++
  return count
}

/** Answers in our form what Node would refuse by itself: expectations, tunnels, a missing Host. */
export default fp(
  async app => {
    app.server.on('checkExpectation', (_request, response) => {
      const { statusCode, body } = expectationFailed()
      const text = JSON.stringify(body)
      response.writeHead(statusCode, {
        'content-type': jsonType,
        'content-length': Buffer.byteLength(text),
        connection: 'close'
      })
      response.end(text)
    })

    // Node would leave out all headers beyond a number of them; their bytes are bounded in any case.
    app.server.maxHeadersCount = 0

    // Asks for a tunnel and names no path: Node would hang up.
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
