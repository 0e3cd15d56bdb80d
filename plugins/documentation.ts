import { Readable } from 'node:stream'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import fp from 'fastify-plugin'
import metadata from '../package.json' with { type: 'json' }
import { complete } from '../src/documentation/complete.js'
import { introduction, tags } from '../src/documentation/introduction.js'
import { keepSignIn, uiConfig } from '../src/documentation/page.js'

/** The OpenAPI document, made from the schemas of the routes, and a page that shows it. */
const theme = { title: 'viewer', js: [{ filename: 'keep-sign-in.js', content: keepSignIn }] }

export default fp(
  async app => {
    const { BASE_PATH } = app.settings

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
        servers: [{ url: BASE_PATH || '/' }],
        components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } }
      },
      stripBasePath: true,
      transform: ({ schema, url, route }) => ({ schema: { operationId: route.handler.name, ...schema }, url }),
      transformObject: document => complete((document as unknown as { openapiObject: Parameters<typeof complete>[0] }).openapiObject),
      refResolver: { buildLocalReference: ({ $id }) => String($id) }
    })

    const written = new WeakMap<object, string>()
    await app.register(async scope => {
      // The document is large and always the same object: it is written out once.
      scope.setReplySerializer(payload => {
        const document = payload as object
        const text = written.get(document) ?? JSON.stringify(document)
        written.set(document, text)
        return text
      })
      scope.addHook('onRoute', route => {
        route.config = { ...route.config, admission: 'static' }
      })
      // Of a caller who has hung up, Node forgets the answers that were still to come; their files would stay open.
      scope.addHook('onSend', async ({ raw }, _reply, payload) => {
        if (!(payload instanceof Readable)) return
        if (raw.destroyed) payload.destroy()
        else raw.once('close', () => payload.destroy())
      })
      scope.get(`${BASE_PATH}/openapi.json`, { schema: { hide: true } }, async () => app.swagger())
      await scope.register(swaggerUi, { routePrefix: `${BASE_PATH}/docs`, staticCSP: true, uiConfig, theme })
    })
  },
  { name: 'documentation', dependencies: ['settings'] }
)
