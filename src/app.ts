import type { Server } from 'node:http'
import { fileURLToPath } from 'node:url'
import autoload from '@fastify/autoload'
import sensible from '@fastify/sensible'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { type FastifyHttpOptions, type FastifyServerOptions, LogController } from 'fastify'
import admission from '../plugins/admission.js'
import authentication from '../plugins/authentication.js'
import batching from '../plugins/batching.js'
import cacheHeaders from '../plugins/cache-headers.js'
import catalogue from '../plugins/catalogue.js'
import cors from '../plugins/cors.js'
import country from '../plugins/country.js'
import disabledUsers from '../plugins/disabled-users.js'
import documentation from '../plugins/documentation.js'
import drain from '../plugins/drain.js'
import errors, { sendFailure } from '../plugins/errors.js'
import eventLoopLimit from '../plugins/event-loop-limit.js'
import forwardedHeaders from '../plugins/forwarded-headers.js'
import jsonBody from '../plugins/json-body.js'
import metrics from '../plugins/metrics.js'
import mongo from '../plugins/mongo.js'
import preparedness from '../plugins/preparedness.js'
import protocol from '../plugins/protocol.js'
import rateLimits from '../plugins/rate-limits.js'
import recommendations from '../plugins/recommendations.js'
import requestLog from '../plugins/request-log.js'
import securityHeaders from '../plugins/security-headers.js'
import settingsPlugin from '../plugins/settings.js'
import unknownRoutes from '../plugins/unknown-routes.js'
import { sharedSchemas } from '../schemas/shared.js'
import type { Settings } from './config.js'
import { answerParserError } from './http/parser-errors.js'
import { isDecodable } from './http/paths.js'
import { trustedProxies } from './http/proxies.js'
import { requestId } from './http/request-ids.js'
import { buildSerializer } from './http/serialization.js'
import { compileValidator } from './http/validation.js'

const serverOptions = (settings: Settings): FastifyHttpOptions<Server> => ({
  bodyLimit: 64 * 1024,
  // On a busy machine it takes seconds to load the routes.
  pluginTimeout: 60_000,
  requestTimeout: 10_000,
  // One who neither reads nor sends; longer than any answer takes.
  connectionTimeout: 30_000,
  // Fastify refuses an address that it cannot decode before any hook runs; under this one it meets them all, and one of them refuses it.
  rewriteUrl: ({ url = '/' }) => (isDecodable(url) ? url : '/'),
  // Node refuses a request without a Host with an empty answer; a hook does it in our form.
  http: { headersTimeout: 10_000, connectionsCheckingInterval: 1000, requireHostHeader: false },
  routerOptions: { maxParamLength: 16 * 1024 },
  trustProxy: trustedProxies(settings.TRUST_PROXY),
  return503OnClosing: false,
  logController: new LogController({ disableRequestLogging: true }),
  genReqId: requestId,
  // A logger for each request costs more than most answers; what logs names the request itself.
  childLoggerFactory: logger => logger,
  schemaController: { compilersFactory: { buildSerializer } },
  clientErrorHandler: answerParserError,
  frameworkErrors: sendFailure
})

/** The whole service. `logger` is pino's options, as Fastify takes them. */
export const buildApp = async (settings: Settings, { logger }: Required<Pick<FastifyServerOptions, 'logger'>>) => {
  const app = fastify({ ...serverOptions(settings), logger }).withTypeProvider<TypeBoxTypeProvider>()
  app.setValidatorCompiler(compileValidator)
  for (const schema of sharedSchemas) app.addSchema(schema)

  // Edge: what holds for every request and every answer, whoever calls.
  await app.register(settingsPlugin, { settings })
  await app.register(requestLog)
  await app.register(metrics)
  await app.register(errors)
  await app.register(protocol)
  await app.register(forwardedHeaders)
  await app.register(sensible)
  await app.register(cacheHeaders)
  await app.register(securityHeaders)
  await app.register(cors)
  await app.register(jsonBody)
  await app.register(drain)
  await app.register(batching)

  // Data: the database and what is kept of it in memory; looks at no request.
  await app.register(mongo)
  await app.register(catalogue)
  await app.register(recommendations)
  await app.register(country)

  // Admission: who calls, and whether it is served; refusals come in the order of these lines.
  await app.register(authentication)
  await app.register(admission)
  await app.register(eventLoopLimit)
  await app.register(rateLimits)
  await app.register(unknownRoutes)
  await app.register(preparedness)
  await app.register(disabledUsers)

  // Routes: the documents of all that follow, the URL tree, and a 405 for the methods that are not in it.
  await app.register(documentation)
  await app.register(autoload, {
    dir: fileURLToPath(new URL('../routes', import.meta.url)),
    options: { prefix: settings.BASE_PATH },
    routeParams: true,
    // People sign in at an identity provider where there is one.
    ignoreFilter: path => settings.JWT_SECRET === undefined && /^\/log(in|out)(\/|$)/.test(path),
    forceESM: true
  })
  app.refuseOtherMethods()
  return app
}
