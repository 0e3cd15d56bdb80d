import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

/** /health, /ready and /metrics are asked for every few seconds. Only failures are worth a line at info. */
const levelOf = ({ routeOptions: { config } }: FastifyRequest, { statusCode }: FastifyReply) =>
  config.admission === 'vital' && statusCode < 400 ? 'debug' : 'info'

/** Logs one line per answered request. The `x-request-id` header lets callers refer to it. */
export default fp(
  async app => {
    // Redaction costs time on every line, and these fields hold no secrets.
    const lines = app.log.child({}, { redact: [] })

    app.addHook('onRequest', (request, reply, done) => {
      reply.header('x-request-id', request.id)
      done()
    })
    app.addHook('onResponse', (request, reply, done) => {
      lines[levelOf(request, reply)](
        {
          reqId: request.id,
          method: request.method,
          path: request.url.split('?', 1)[0],
          status: reply.statusCode,
          ms: Math.round(reply.elapsedTime * 10) / 10
        },
        'answered'
      )
      done()
    })
  },
  { name: 'request-log' }
)
