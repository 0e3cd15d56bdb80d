import type { Server } from 'node:http'
import { fileURLToPath } from 'node:url'
import autoload from '@fastify/autoload'
import sensible from '@fastify/sensible'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { type FastifyHttpOptions, type FastifyServerOptions, LogController } from 'fastify'
import admission from '../plugins/admission.js'
import authentication from '../plugins/authentication.js'
import catalogue from '../plugins/catalogue.js'
import chosenProfile from '../plugins/chosen-profile.js'
import cors from '../plugins/cors.js'
import documentation from '../plugins/documentation.js'
import drain from '../plugins/drain.js'
import errors, { sendError } from '../plugins/errors.js'
import live from '../plugins/live.js'
import metrics from '../plugins/metrics.js'
import mongo from '../plugins/mongo.js'
import moving from '../plugins/moving.js'
import passwordChecks from '../plugins/password-checks.js'
import preparation from '../plugins/preparation.js'
import recommendations from '../plugins/recommendations.js'
import replies from '../plugins/replies.js'
import requests from '../plugins/requests.js'
import revocations from '../plugins/revocations.js'
import unknownRoutes from '../plugins/unknown-routes.js'
import webhooks from '../plugins/webhooks.js'
import { sharedSchemas } from '../schemas/common.js'
import type { Settings } from './config.js'
import { trustedProxies } from './http/addresses.js'
import { buildSerializer } from './http/reply.js'
import { bodyLimit, requestId, routableUrl, sharedLogger } from './http/requests.js'
import { answerParserError } from './http/unparsed-requests.js'
import { compileValidator } from './http/validation.js'
import { hasProvider } from './identity/secrets.js'

declare module 'fastify' {
  interface FastifyInstance {
    settings: Settings
  }
}

const serverOptions = (settings: Settings): FastifyHttpOptions<Server> => ({
  bodyLimit,
  // Loading the routes takes seconds on a busy machine.
  pluginTimeout: 60_000,
  requestTimeout: 10_000,
  // For callers who neither send nor read. Longer than any response takes to begin. Imports turn it off.
  connectionTimeout: Math.max(30_000, 2 * settings.DATABASE_TIMEOUT),
  rewriteUrl: routableUrl,
  // For a missing Host header, Node would send an empty body. plugins/requests.ts responds in JSON.
  http: { headersTimeout: 10_000, connectionsCheckingInterval: 1000, requireHostHeader: false },
  routerOptions: { maxParamLength: 16 * 1024 },
  trustProxy: trustedProxies(settings.TRUST_PROXY),
  return503OnClosing: false,
  logController: new LogController({ disableRequestLogging: true }),
  genReqId: requestId,
  childLoggerFactory: sharedLogger,
  schemaController: { compilersFactory: { buildSerializer } },
  clientErrorHandler: answerParserError,
  frameworkErrors: sendError
})

/** Whether the settings leave out the route in this file. */
const isAbsent = (settings: Settings) => (path: string) =>
  (hasProvider(settings) && /^\/(login|logout|sessions)(\/|$)/.test(path)) ||
  (settings.DEVICE_URL === '' && path.startsWith('/login/device')) ||
  (settings.LIVE_STREAMS === 0 && path.startsWith('/changes/stream'))

/** Builds the service without starting it. */
export const buildApp = async (settings: Settings, { logger }: Required<Pick<FastifyServerOptions, 'logger'>>) => {
  const app = fastify({ ...serverOptions(settings), logger }).withTypeProvider<TypeBoxTypeProvider>()
  app.setValidatorCompiler(compileValidator)
  for (const schema of sharedSchemas) app.addSchema(schema)

  app.decorate('settings', settings)

  // How a request is handled:
  // 1. The hooks of `requests`, `cors`, `authentication` and `admission`. If no route matches, `unknownRoutes` rejects it. With an identity
  //    provider, the hook of `chosenProfile`.
  // 2. The guard of its route, like `forViewers`, then its body, and the schema of the route.
  // 3. The handler, for which a signed-in caller queues in `admission`. It returns an object or, by `replies`, bytes, or throws
  //    an error, which `errors` turns into a response.
  // 4. `requests` logs the response.

  // Edge: what applies to every request that Node can parse, and to its response.
  await app.register(metrics)
  await app.register(requests)
  await app.register(errors)
  await app.register(sensible)
  await app.register(replies)
  await app.register(cors)
  await app.register(drain)

  // Data: the database, what is loaded from it into memory, the moves within it, and the webhooks.
  await app.register(mongo)
  await app.register(preparation)
  await app.register(revocations)
  await app.register(catalogue)
  await app.register(recommendations)
  await app.register(moving)
  await app.register(webhooks)

  // Who is calling, whether the request is served, and the streams that stay open.
  await app.register(authentication)
  await app.register(passwordChecks)
  await app.register(admission)
  await app.register(unknownRoutes)
  await app.register(chosenProfile)
  await app.register(live)

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
