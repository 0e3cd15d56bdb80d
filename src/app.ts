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
import chosenProfile from '../plugins/chosen-profile.js'
import cors from '../plugins/cors.js'
import documentation from '../plugins/documentation.js'
import drain from '../plugins/drain.js'
import errors, { sendError } from '../plugins/errors.js'
import eventLoopLimit from '../plugins/event-loop-limit.js'
import forwardedHeaders from '../plugins/forwarded-headers.js'
import jsonBody from '../plugins/json-body.js'
import metrics from '../plugins/metrics.js'
import mongo from '../plugins/mongo.js'
import passwordChecks from '../plugins/password-checks.js'
import preparation from '../plugins/preparation.js'
import protocol from '../plugins/protocol.js'
import rateLimits from '../plugins/rate-limits.js'
import recommendations from '../plugins/recommendations.js'
import requestLog from '../plugins/request-log.js'
import revocations from '../plugins/revocations.js'
import securityHeaders from '../plugins/security-headers.js'
import settingsPlugin from '../plugins/settings.js'
import unknownRoutes from '../plugins/unknown-routes.js'
import untilPrepared from '../plugins/until-prepared.js'
import { sharedSchemas } from '../schemas/shared.js'
import type { Settings } from './config.js'
import { bodyLimit } from './http/body-limit.js'
import { answerParserError } from './http/parser-errors.js'
import { isDecodable } from './http/paths.js'
import { trustedProxies } from './http/proxies.js'
import { requestId } from './http/request-ids.js'
import { buildSerializer } from './http/serialization.js'
import { compileValidator } from './http/validation.js'
import { hasProvider } from './identity/secrets.js'

const serverOptions = (settings: Settings): FastifyHttpOptions<Server> => ({
  bodyLimit,
  // Loading the routes takes seconds on a busy machine.
  pluginTimeout: 60_000,
  requestTimeout: 10_000,
  // For a caller who neither sends nor reads. Longer than any answer takes.
  connectionTimeout: 30_000,
  // Fastify would refuse an undecodable URL before any hook runs. plugins/unknown-routes.ts refuses it instead.
  rewriteUrl: ({ url = '/' }) => (isDecodable(url) ? url : '/'),
  // Node would refuse a request without a Host with an empty body. plugins/protocol.ts sends a JSON body.
  http: { headersTimeout: 10_000, connectionsCheckingInterval: 1000, requireHostHeader: false },
  routerOptions: { maxParamLength: 16 * 1024 },
  trustProxy: trustedProxies(settings.TRUST_PROXY),
  return503OnClosing: false,
  logController: new LogController({ disableRequestLogging: true }),
  genReqId: requestId,
  // A child logger per request would cost more than most answers. Log lines carry the request id as a field instead.
  childLoggerFactory: logger => logger,
  schemaController: { compilersFactory: { buildSerializer } },
  clientErrorHandler: answerParserError,
  frameworkErrors: sendError
})

/** Whether the settings leave out the route in this file. */
const isAbsent = (settings: Settings) => (path: string) =>
  (hasProvider(settings) && /^\/(login|logout|sessions|me\/password|profiles\/_profileId\/token)(\/|$)/.test(path)) ||
  (settings.DEVICE_URL === '' && path.startsWith('/login/device'))

/** Builds the service without starting it. */
export const buildApp = async (settings: Settings, { logger }: Required<Pick<FastifyServerOptions, 'logger'>>) => {
  const app = fastify({ ...serverOptions(settings), logger }).withTypeProvider<TypeBoxTypeProvider>()
  app.setValidatorCompiler(compileValidator)
  for (const schema of sharedSchemas) app.addSchema(schema)

  // Edge: what applies to every request that Node can parse, and to its answer. src/http/parser-errors.ts answers the others.
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

  // Data: the database and what is loaded from it into memory. None of these has a hook on requests.
  await app.register(mongo)
  await app.register(preparation)
  await app.register(revocations)
  await app.register(catalogue)
  await app.register(recommendations)

  // Admission: who calls, whether the request is served, and whose answer goes first. The hooks run in the order of these lines.
  // `admission` acts twice: its hook refuses requests when too many are in progress, and its queue is around the handler, after all hooks.
  await app.register(authentication)
  await app.register(passwordChecks)
  await app.register(admission)
  await app.register(eventLoopLimit)
  await app.register(rateLimits)
  await app.register(unknownRoutes)
  await app.register(untilPrepared)
  await app.register(chosenProfile)
  await app.register(batching)

  // Routes. The documentation comes first, because it covers only routes registered after it.
  await app.register(documentation)
  await app.register(autoload, {
    dir: fileURLToPath(new URL('../routes', import.meta.url)),
    options: { prefix: settings.BASE_PATH },
    routeParams: true,
    ignoreFilter: isAbsent(settings),
    forceESM: true
  })
  app.refuseOtherMethods()
  return app
}
