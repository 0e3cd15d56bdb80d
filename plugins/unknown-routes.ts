import type { HTTPMethods } from 'fastify'
import fp from 'fastify-plugin'
import { malformedUrl, methodNotAllowed, resourceNotFound } from '../src/errors.js'
import { isDecodable } from '../src/http/requests.js'

const partsOf = (path: string) => path.split('/')

/** Whether the path of a route matches a path. The parameters of the route match anything. */
const matches = (route: string[], path: string[]) =>
  route.length === path.length && route.every((part, i) => part === path[i] || /^[:*]/.test(part))

/** Answers unknown paths and methods before the body is read. */
export default fp(
  async app => {
    const urls = new Set<string>()
    app.addHook('onRoute', ({ url }) => {
      urls.add(url)
    })

    let known = new Map<string, { parts: string[]; methods: string[] }>()
    /** A path that is a route itself has the methods of that route alone: /history/batch is no element with the id `batch`. */
    const methodsOf = (path: string) => {
      const parts = partsOf(path)
      return known.get(path)?.methods ?? [...known.values()].flatMap(route => (matches(route.parts, parts) ? route.methods : []))
    }

    /** Fastify routes only the common methods. It takes a request with any other method for a 404, even if the path is known. */
    const refusalOf = (url: string) => {
      const [path = ''] = url.split('?', 1)
      const methods = methodsOf(decodeURI(path))
      return methods.length > 0 ? methodNotAllowed(methods) : resourceNotFound()
    }

    app.addHook('onRequest', ({ originalUrl, is404, routeOptions }, _reply, done) => {
      if (!isDecodable(originalUrl)) return done(malformedUrl())
      // `*` is the route that @fastify/cors adds for all OPTIONS requests.
      done(is404 || routeOptions.url === '*' ? refusalOf(originalUrl) : undefined)
    })
    app.setNotFoundHandler(async () => {
      throw resourceNotFound()
    })

    app.decorate('refuseOtherMethods', () => {
      const isRouted = (url: string) => (method: string) => app.hasRoute({ url, method: method as HTTPMethods })
      known = new Map([...urls].map(url => [url, { parts: partsOf(url), methods: app.supportedMethods.filter(isRouted(url)) }]))
      for (const [url, { methods: served }] of known) {
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
