import fp from 'fastify-plugin'
import sjson from 'secure-json-parse'
import { malformedBody } from '../src/errors.js'
import { Pacer } from '../src/overload/pacer.js'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** In bytes. Larger bodies may take milliseconds to parse, for example if they consist of brackets. */
const large = 4096

const parsed = (body: Buffer) => {
  if (body.length === 0) return undefined
  try {
    return sjson.parse(utf8.decode(body), null, { protoAction: 'remove', constructorAction: 'remove' })
  } catch {
    throw malformedBody()
  }
}

/**
 * Parses every request body as JSON, whatever its content type. An empty body counts as none. For that it replaces `content-type`, so a
 * hook that needs the caller's own must be registered before.
 */
export default fp(
  async app => {
    app.addHook('onRequest', (request, _reply, done) => {
      request.headers['content-type'] = 'application/json'
      done()
    })

    app.removeAllContentTypeParsers()
    const pacer = new Pacer()
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
      body.length < large ? parsed(body) : pacer.run(() => parsed(body))
    )
  },
  { name: 'json-body' }
)
