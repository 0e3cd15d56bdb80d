import fp from 'fastify-plugin'

/** One line a request when it is answered, and its id in a header, so that a caller can name it. */
export default fp(
  async app => {
    // Redaction looks into every line for secrets; the fields of this one are fixed and hold none.
    const lines = app.log.child({}, { redact: [] })

    app.addHook('onRequest', (request, reply, done) => {
      reply.header('x-request-id', request.id)
      done()
    })
    app.addHook('onResponse', (request, reply, done) => {
      lines.info(
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
