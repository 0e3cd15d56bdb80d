import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifySchema } from 'fastify'
import fp from 'fastify-plugin'
import metadata from '../package.json' with { type: 'json' }
import { asPublished, completeDocument, type Document, wrapSchemas } from '../src/documentation/document.js'
import { introduction, tags } from '../src/documentation/texts.js'
import { optionalBody } from '../src/http/requests.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The OpenAPI document with the exact schemas of the service, some of which client generators cannot handle. */
    exactDocument: () => object
  }
}

/** After POST /login on the page, uses its token for all later calls. A string, because it runs in the browser. */
export const keepSignIn = `
const build = window.SwaggerUIBundle

const keep = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        setResponse: (setResponse, { authActions }) => (path, method, answer) => {
          const token = answer.body?.data?.access_token
          const schema = { type: 'http', scheme: 'bearer' }
          if (token) authActions.authorizeWithPersistOption({ bearer: { name: 'bearer', schema, value: token } })
          return setResponse(path, method, answer)
        }
      }
    }
  }
})
window.SwaggerUIBundle = Object.assign(config => build({ ...config, plugins: [...config.plugins, keep] }), build)
`

const uiConfig = {
  layout: 'BaseLayout',
  persistAuthorization: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0
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
        schema: {
          operationId: route.handler.name,
          security: [],
          'x-optional-body': route.preValidation === optionalBody,
          ...wrapSchemas(schema as FastifySchema | undefined)
        },
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
      scope.get(`${BASE_PATH}/openapi.json`, { schema: { hide: true } }, async () => app.swagger())
      // The page may only call its own origin, which need not be the public one.
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
  { name: 'documentation', decorators: { fastify: ['settings'] } }
)
