import fp from 'fastify-plugin'
import { expectationFailed, malformed } from '../src/errors.js'
import { endWith } from '../src/parser-errors.js'
import { jsonType } from '../src/reply.js'

const forwarded = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']

/** What Node would answer by itself, in another form than ours, and what the headers of a request say of the operator's settings. */
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

    // Asks for a tunnel and names no path: Node would hang up.
    app.server.on('connect', (_request, socket) => {
      socket.on('error', socket.destroy)
      endWith(malformed(), socket)
    })

    app.addHook('onRequest', ({ headers, raw }, _reply, done) => {
      const lacksHost = headers.host === undefined && raw.httpVersionMajor === 1 && raw.httpVersionMinor === 1
      done(lacksHost ? malformed() : undefined)
    })

    if (app.settings.TRUST_PROXY !== '') return
    let warned = false
    app.addHook('onRequest', ({ headers, log, id }, _reply, done) => {
      if (!warned && forwarded.some(name => headers[name] !== undefined)) {
        warned = true
        log.warn({ reqId: id }, 'A request carries forwarded headers, which count for nothing: set TRUST_PROXY if a proxy stands in front')
      }
      done()
    })
  },
  { name: 'protocol', dependencies: ['settings'] }
)
