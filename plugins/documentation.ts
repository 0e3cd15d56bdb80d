import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import fp from 'fastify-plugin'

interface Parameters {
  properties?: Record<string, { default?: unknown }>
  required?: string[]
}

/** A parameter with a default is there for a handler always, but who calls may leave it out. */
const withoutDefaults = ({ properties = {}, required = [], ...rest }: Parameters) => ({
  ...rest,
  properties,
  required: required.filter(name => properties[name]?.default === undefined)
})

/** The OpenAPI document, made from the schemas of the routes, and a page that shows it. */
export default fp(
  async app => {
    const { BASE_PATH } = app.settings

    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'Viewer service of a video catalogue',
          description: 'Login, viewing history, watchlist, recommendations and the catalogue of a streaming platform.',
          version: '0.1.0',
          license: { name: 'MIT', identifier: 'MIT' }
        },
        servers: [{ url: BASE_PATH || '/' }],
        components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } }
      },
      stripBasePath: true,
      transform: ({ schema, url }) => ({
        schema: schema?.querystring ? { ...schema, querystring: withoutDefaults(schema.querystring as Parameters) } : schema,
        url
      }),
      refResolver: { buildLocalReference: ({ $id }) => String($id) }
    })

    app.get(`${BASE_PATH}/openapi.json`, { schema: { hide: true }, config: { standalone: true } }, async () => app.swagger())
    await app.register(async page => {
      page.addHook('onRoute', route => {
        route.config = { ...route.config, standalone: true }
      })
      await page.register(swaggerUi, { routePrefix: `${BASE_PATH}/docs`, staticCSP: true })
    })
  },
  { name: 'documentation', dependencies: ['settings'] }
)
