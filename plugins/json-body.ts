import fp from 'fastify-plugin'
import sjson from 'secure-json-parse'
import { malformedBody } from '../src/errors.js'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads every request body as JSON, whatever its content type says or without one; an empty body is no body. */
export default fp(
  async app => {
    app.addHook('onRequest', (request, _reply, done) => {
      request.headers['content-type'] = 'application/json'
      done()
    })

    app.removeAllContentTypeParsers()
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => {
      if (body.length === 0) return undefined
      try {
        return sjson.parse(utf8.decode(body), null, { protoAction: 'remove', constructorAction: 'remove' })
      } catch {
        throw malformedBody()
      }
    })
  },
  { name: 'json-body' }
)
