import cors from '@fastify/cors'
import fp from 'fastify-plugin'
import { itemsOf } from '../src/http/requests.js'
import { profileHeader } from '../src/identity/chosen-profiles.js'
import { refuseUnknown } from './unknown-routes.js'

const preflightHeaders = ['access-control-allow-methods', 'access-control-allow-headers', 'access-control-max-age']

/** Answers the preflight requests of browsers. Any other OPTIONS returns 405, like an unknown method. */
export default fp(
  async app => {
    const { CORS_ORIGIN } = app.settings
    if (CORS_ORIGIN) {
      // The library adds an OPTIONS route for any path, even unknown ones.
      app.addHook('onRoute', route => {
        if (route.url === '*') Object.assign(route, { onRequest: refuseUnknown, config: { admission: 'static' } })
      })
      await app.register(cors, {
        origin: CORS_ORIGIN === '*' ? '*' : itemsOf(CORS_ORIGIN).map(withAnyPort),
        methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
        allowedHeaders: ['Authorization', 'Content-Type', 'Format', 'If-None-Match', 'Last-Event-ID', profileHeader],
        exposedHeaders: ['Date', 'ETag', 'Location', 'Retry-After', 'X-Request-Id'],
        maxAge: 3600,
        strictPreflight: false,
        preflightContinue: true
      })
    }
    let hasWarned = false
    app.addHook('onRequest', ({ method, headers, log, id }, reply, done) => {
      if (method !== 'OPTIONS') return done()
      const isPreflight = headers.origin && headers['access-control-request-method']
      if (isPreflight && !hasWarned && !reply.hasHeader('access-control-allow-origin')) {
        hasWarned = true
        log.warn({ reqId: id, origin: headers.origin }, 'refused a web app: add its origin to CORS_ORIGIN if it may call the service')
      }
      if (isPreflight && CORS_ORIGIN) {
        reply.code(204).header('content-length', '0').send()
        return
      }
      for (const name of preflightHeaders) reply.removeHeader(name)
      done()
    })
  },
  { name: 'cors', decorators: { fastify: ['settings'] } }
)

/** `http://localhost:*` stands for any port, including the default one. */
const withAnyPort = (origin: string) =>
  origin.endsWith(':*') ? new RegExp(`^${origin.slice(0, -2).replace(/\W/g, '\\$&')}(:\\d+)?$`) : origin
