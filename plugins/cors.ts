import cors from '@fastify/cors'
import fp from 'fastify-plugin'

const ofPreflights = ['access-control-allow-methods', 'access-control-allow-headers', 'access-control-max-age']

/** Answers the preflights of browsers; any other OPTIONS is a method that no path has. */
export default fp(
  async app => {
    const { CORS_ORIGIN } = app.settings
    if (!CORS_ORIGIN) return
    await app.register(cors, {
      origin: CORS_ORIGIN === '*' ? '*' : CORS_ORIGIN.split(',').map(origin => origin.trim()),
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
      allowedHeaders: ['Authorization', 'Content-Type', 'Format', 'If-None-Match'],
      exposedHeaders: ['Date', 'ETag', 'Location', 'Retry-After', 'X-Request-Id'],
      maxAge: 3600,
      strictPreflight: false,
      preflightContinue: true
    })
    app.addHook('onRequest', ({ method, headers }, reply, done) => {
      if (method !== 'OPTIONS') return done()
      if (headers.origin && headers['access-control-request-method']) {
        reply.code(204).header('content-length', '0').send()
        return
      }
      for (const name of ofPreflights) reply.removeHeader(name)
      done()
    })
  },
  { name: 'cors', dependencies: ['settings'] }
)
