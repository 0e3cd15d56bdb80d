import fp from 'fastify-plugin'
import { expectationFailed, malformed } from '../src/errors.js'
import { withoutPorts } from '../src/http/addresses.js'
import { endWith } from '../src/http/parser-errors.js'
import { jsonType } from '../src/http/reply.js'

const forwarded = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']

/** Of several, Node would take the first, where a proxy in front may have gone by another. */
const hostsIn = (rawHeaders: string[]) => {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') count++
  return count
}

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

    app.addHook('onRequest', ({ raw }, _reply, done) => {
      const hosts = hostsIn(raw.rawHeaders)
      const needsHost = raw.httpVersionMajor === 1 && raw.httpVersionMinor === 1
      done(hosts > 1 || (hosts === 0 && needsHost) ? malformed() : undefined)
    })

    if (app.settings.TRUST_PROXY !== '') {
      app.addHook('onRequest', ({ headers }, _reply, done) => {
        const chain = headers['x-forwarded-for']
        if (typeof chain === 'string') headers['x-forwarded-for'] = withoutPorts(chain)
        done()
      })
      return
    }
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
