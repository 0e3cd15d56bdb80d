import { METHODS } from 'node:http'
import type { HTTPMethods } from 'fastify'
import fp from 'fastify-plugin'
import { malformedUrl, methodNotAllowed, notFound } from '../src/errors.js'
import { isDecodable } from '../src/http/paths.js'

/** Unknown paths and wrong methods are told before anyone looks at the body. */
export default fp(
  async app => {
    // Fastify routes the common methods alone; the others would be unknown paths.
    for (const method of METHODS) if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method)

    const urls = new Set<string>()
    app.addHook('onRoute', ({ url }) => {
      urls.add(url)
    })

    app.addHook('onRequest', ({ originalUrl, is404, routeOptions }, _reply, done) => {
      if (!isDecodable(originalUrl)) return done(malformedUrl())
      // The route of the CORS library for every path that has none of its own.
      done(is404 || routeOptions.url === '*' ? notFound() : undefined)
    })
    app.setNotFoundHandler(async () => {
      throw notFound()
    })

    app.decorate('refuseOtherMethods', () => {
      for (const url of [...urls]) {
        const isKnown = (method: string) => app.hasRoute({ url, method: method as HTTPMethods })
        const allow = app.supportedMethods.filter(isKnown).sort().join(', ')
        const refuse = async () => {
          throw methodNotAllowed(allow)
        }
        app.route({
          url,
          method: app.supportedMethods.filter(method => !isKnown(method)) as HTTPMethods[],
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
    /** Answers every other method of the known paths with a 405. To be called when all routes are there. */
    refuseOtherMethods: () => void
  }
}
