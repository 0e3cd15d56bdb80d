import fp from 'fastify-plugin'

/** One line a request when it is answered, and its id in a header, so that a caller can name it. */
export default fp(
  async app => {
    app.addHook('onRequest', async (request, reply) => {
      reply.header('x-request-id', request.id)
    })
    app.addHook('onResponse', async (request, reply) => {
      request.log.info(
        {
          method: request.method,
          path: request.url.split('?', 1)[0],
          status: reply.statusCode,
          ms: Math.round(reply.elapsedTime * 10) / 10
        },
        'answered'
      )
    })
  },
  { name: 'request-log' }
)
