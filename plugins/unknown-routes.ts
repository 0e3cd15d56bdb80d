import { METHODS } from 'node:http'
import type { HTTPMethods } from 'fastify'
import fp from 'fastify-plugin'
import { malformedUrl, methodNotAllowed, notFound } from '../src/errors.js'
import { isDecodable } from '../src/http/paths.js'

/** Whether a path, with its parameters, also matches requests to the other one. */
const includes = (path: string, other: string) => {
  const others = other.split('/')
  const parts = path.split('/')
  return parts.length === others.length && parts.every((part, i) => part === others[i] || part.startsWith(':'))
}

/** Answers unknown paths and methods before the body is read. */
export default fp(
  async app => {
    // Fastify routes only the common methods. The others would get a 404 instead of a 405.
    for (const method of METHODS) if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method)

    const urls = new Set<string>()
    app.addHook('onRoute', ({ url }) => {
      urls.add(url)
    })

    app.addHook('onRequest', ({ originalUrl, is404, routeOptions }, _reply, done) => {
      if (!isDecodable(originalUrl)) return done(malformedUrl())
      // `*` is the route that @fastify/cors adds for all OPTIONS requests.
      done(is404 || routeOptions.url === '*' ? notFound() : undefined)
    })
    app.setNotFoundHandler(async () => {
      throw notFound()
    })

    app.decorate('refuseOtherMethods', () => {
      const known = [...urls].map(url => ({
        url,
        methods: app.supportedMethods.filter(method => app.hasRoute({ url, method: method as HTTPMethods }))
      }))
      for (const { url } of known) {
        // Except for POST, /history/batch is the element with the id `batch`.
        const served = known.flatMap(other => (includes(other.url, url) ? other.methods : []))
        const allow = [...new Set(served)].sort().join(', ')
        const refuse = async () => {
          throw methodNotAllowed(allow)
        }
        app.route({
          url,
          method: app.supportedMethods.filter(method => !served.includes(method)) as HTTPMethods[],
          schema: { hide: true },
          config: { admission: 'static' },
          exposeHeadRoute: false,
          onRequest: refuse,
          handler: refuse
        })
      }
    })
  },
  { name: 'unknown-routes' }
)

declare module 'fastify' {
  interface FastifyInstance {
    /** Answers all other methods of the known paths with a 405. Call it after the last route. */
    refuseOtherMethods: () => void
  }
}
