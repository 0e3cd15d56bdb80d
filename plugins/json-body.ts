import fp from 'fastify-plugin'
import sjson from 'secure-json-parse'
import { malformedBody } from '../src/errors.js'
import { Pace } from '../src/overload/pace.js'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Bytes from which a body may take milliseconds, for all its brackets. */
const large = 4096

const parsed = (body: Buffer) => {
  if (body.length === 0) return undefined
  try {
    return sjson.parse(utf8.decode(body), null, { protoAction: 'remove', constructorAction: 'remove' })
  } catch {
    throw malformedBody()
  }
}

/** Reads every request body as JSON, whatever its content type says or without one; an empty body is no body. */
export default fp(
  async app => {
    app.addHook('onRequest', (request, _reply, done) => {
      request.headers['content-type'] = 'application/json'
      done()
    })

    app.removeAllContentTypeParsers()
    const pace = new Pace()
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
      body.length < large ? parsed(body) : pace.run(() => parsed(body))
    )
  },
  { name: 'json-body' }
)
