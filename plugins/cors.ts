import cors from '@fastify/cors'
import fp from 'fastify-plugin'
import { corsOptions } from '../src/http.js'

const ofPreflights = ['access-control-allow-methods', 'access-control-allow-headers', 'access-control-max-age']

/** Answers the preflights of browsers; any other OPTIONS is a method that no path has. */
export default fp(
  async app => {
    const { CORS_ORIGIN } = app.settings
    if (!CORS_ORIGIN) return
    await app.register(cors, { ...corsOptions(CORS_ORIGIN), preflightContinue: true })
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
