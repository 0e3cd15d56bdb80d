import { METHODS } from 'node:http'
import type { HTTPMethods } from 'fastify'
import fp from 'fastify-plugin'
import { malformedUrl, methodNotAllowed, notFound } from '../src/errors.js'

const isDecodable = (text: string) => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Unknown paths and wrong methods are told before anyone looks at the body. */
export default fp(
  async app => {
    // Fastify routes the common methods alone; the others would be unknown paths.
    for (const method of METHODS) if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method)

    const methodsOf = new Map<string, Set<string>>()

    app.addHook('onRoute', ({ url, method, schema }) => {
      if (schema?.hide) return
      const methods = methodsOf.get(url) ?? new Set()
      for (const name of [method].flat()) methods.add(name)
      methodsOf.set(url, methods)
    })

    app.addHook('onRequest', async request => {
      if (request.is404) throw notFound()
      if (request.url.includes('%') && !isDecodable(request.url)) throw malformedUrl()
    })
    app.setNotFoundHandler(async () => {
      throw notFound()
    })

    app.decorate('refuseOtherMethods', () => {
      for (const [url, methods] of [...methodsOf]) {
        const allow = [...methods].sort().join(', ')
        app.route({
          url,
          method: app.supportedMethods.filter(method => !methods.has(method)) as HTTPMethods[],
          schema: { hide: true },
          exposeHeadRoute: false,
          onRequest: async () => {
            throw methodNotAllowed(allow)
          },
          handler: async () => undefined
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
