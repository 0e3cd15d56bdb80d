import { Readable } from 'node:stream'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifySchema } from 'fastify'
import fp from 'fastify-plugin'
import metadata from '../package.json' with { type: 'json' }
import { completeDocument, type Document } from '../src/documentation/complete.js'
import { wrapSchemas } from '../src/documentation/components.js'
import { introduction, tags } from '../src/documentation/introduction.js'
import { keepSignIn, uiConfig } from '../src/documentation/page.js'
import { asPublished } from '../src/documentation/published.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The OpenAPI document with the exact schemas of the service, some of which client generators cannot handle. */
    exactDocument: () => object
  }
}

const theme = { title: 'viewer', js: [{ filename: 'keep-sign-in.js', content: keepSignIn }] }

/** Serves the OpenAPI document, which is generated from the schemas of the routes, and a page that shows it. */
export default fp(
  async app => {
    const { BASE_PATH, PUBLIC_URL } = app.settings
    let exact: Document | undefined

    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'viewer',
          description: introduction,
          version: metadata.version,
          license: { name: 'MIT', identifier: 'MIT' }
        },
        tags,
        servers: [{ url: `${PUBLIC_URL}${BASE_PATH}` || '/' }],
        security: [{ bearer: [] }],
        components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } }
      },
      stripBasePath: true,
      transform: ({ schema, url, route }) => ({
        schema: { operationId: route.handler.name, security: [], ...wrapSchemas(schema as FastifySchema | undefined) },
        url
      }),
      transformObject: document => {
        exact = (document as unknown as { openapiObject: Document }).openapiObject
        return completeDocument(asPublished(exact) as Document)
      },
      refResolver: { buildLocalReference: ({ $id }) => String($id) }
    })

    app.decorate('exactDocument', () => {
      app.swagger()
      return completeDocument(exact as Document)
    })

    const serialized = new WeakMap<object, string>()
    await app.register(async scope => {
      // The document is large and never changes, so it is serialized once.
      scope.setReplySerializer(payload => {
        const document = payload as object
        const text = serialized.get(document) ?? JSON.stringify(document)
        serialized.set(document, text)
        return text
      })
      scope.addHook('onRoute', route => {
        route.config = { ...route.config, admission: 'static' }
      })
      // When a caller hangs up, Node drops its pipelined answers without closing their files.
      scope.addHook('onSend', async ({ raw }, _reply, payload) => {
        if (!(payload instanceof Readable)) return
        if (raw.destroyed) payload.destroy()
        else raw.once('close', () => payload.destroy())
      })
      scope.get(`${BASE_PATH}/openapi.json`, { schema: { hide: true } }, async () => app.swagger())
      // The page may call only the origin that it comes from, which need not be the public one.
      let pageDocument: object | undefined
      await scope.register(swaggerUi, {
        routePrefix: `${BASE_PATH}/docs`,
        staticCSP: true,
        uiConfig,
        theme,
        transformSpecificationClone: false,
        transformSpecification: document => {
          pageDocument ??= { ...document, servers: [{ url: BASE_PATH || '/' }] }
          return pageDocument
        }
      })
    })
  },
  { name: 'documentation', dependencies: ['settings'] }
)
