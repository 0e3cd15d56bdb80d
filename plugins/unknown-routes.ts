import { METHODS } from 'node:http'
import type { FastifyRequest, HTTPMethods } from 'fastify'
import fp from 'fastify-plugin'
import { malformedUrl, methodNotAllowed, resourceNotFound } from '../src/errors.js'
import { isDecodable } from '../src/http/requests.js'

export const refuseUnknown = async ({ originalUrl }: FastifyRequest) => {
  throw isDecodable(originalUrl) ? resourceNotFound() : malformedUrl()
}

/** Answers unknown paths and methods before the body is read. */
export default fp(
  async app => {
    // Fastify routes only the common methods, and would treat any other as an unknown path.
    for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
    const urls = new Set<string>()
    app.addHook('onRoute', ({ url }) => {
      urls.add(url)
    })

    // In a scope of its own, so that known paths do not run the hook.
    await app.register(async unknown => {
      unknown.addHook('onRequest', refuseUnknown)
      unknown.setNotFoundHandler(refuseUnknown)
    })

    app.decorate('refuseOtherMethods', () => {
      for (const url of urls) {
        const isServed = (method: string) => app.hasRoute({ url, method: method as HTTPMethods })
        const served = app.supportedMethods.filter(isServed)
        const refuse = async () => {
          throw methodNotAllowed(served)
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
